// A question as people type it, "√d_model or BERT's ε?", in the words that the index has: the theme
// splits pages at the separator of mkdocs.yml, but what is typed at spaces alone; and its index has
// no word without a Latin letter. The names are those of hooks.py.
const query = 2; // its message to the worker that searches
const names = { ε: " epsilon ", σ: " sigma " };
const post = Worker.prototype.postMessage;
Worker.prototype.postMessage = function (message, ...rest) {
  if (message && message.type === query && typeof message.data === "string") {
    const words = message.data
      .replace(/['’]s\b/g, "")
      .replace(/[εσ]/g, (letter) => names[letter])
      .replace(/[^a-zA-Z0-9_.]+|\.(?!\w)/g, " ")
      .trim(); // behind a space the theme's wildcard would stand alone, and find every page
    message = { ...message, data: words };
  }
  return post.call(this, message, ...rest);
};
