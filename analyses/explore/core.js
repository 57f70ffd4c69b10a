// The core in the browser, and in Node: `await embedscaleCore()` has `ask`, which answers as the
// command does, and what is known of systems and claims. core.py puts `packed` ahead of this.
"use strict";

const embedscaleCore = async () => {
  const unpacked = async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(plain).arrayBuffer());
  };
  const decoder = new TextDecoder(), encoder = new TextEncoder();
  const {texts, modelTypes, ...known} = JSON.parse(decoder.decode(await unpacked(packed.known)));

  // The module has no files, clock or environment: whatever it calls is an end.
  const system = new Proxy({}, {get: (_, name) => () => { throw new Error(`called ${name}`); }});
  const {instance} = await WebAssembly.instantiate(await unpacked(packed.module),
                                                   {wasi_snapshot_preview1: system});
  const core = instance.exports;
  core._initialize();
  const call = (name, text) => {
    const utf8 = encoder.encode(text), at = core.allocate(utf8.length);
    new Uint8Array(core.memory.buffer, at, utf8.length).set(utf8);
    const exit = core[name]();
    return {exit, text: decoder.decode(
      new Uint8Array(core.memory.buffer, core.said(), core.said_size()))};
  };
  for (const toml of modelTypes) call("know_model_types", toml);

  /// What `embedscale COMMAND --json` prints and its exit code; with exit code 2 its message. An
  /// input is {system} or {name, text, side}; `set` and `place` are the command's options.
  const ask = (command, inputs, {set = [], place = ""} = {}) =>
    call("ask", JSON.stringify({command, set, place, inputs: inputs.map(
      (one) => one.system ? {name: `${one.system}.toml`, text: texts[one.system]} : one)}));
  return {ask, memory: core.memory, systems: Object.keys(texts), ...known};
};
