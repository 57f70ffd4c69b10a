// What both pages share: how they start, numbers as a reader can use them, links to claims.

/** What both begin with: the paper's own code. */
export const standard = "tensor2tensor";

/** The ways to write the input, in the order in which they stand side by side. */
export const ways = [
  { way: "up", title: "up", formula: "√d·e + p", symbol: "circle" },
  { way: "down", title: "down", formula: "e + p/√d", symbol: "square" },
  { way: "folded", title: "folded", formula: "e′ + p", symbol: "triangle" },
  { way: "unscaled", title: "unscaled", formula: "e + p", symbol: "diamond" },
  { way: "own", title: "as it is", formula: "", symbol: "star" },
];

/** element("a", {href: "…", hidden: true}, "text", child…); what is null or false stays out. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (value !== null && value !== undefined && value !== false)
      made.setAttribute(key, value === true ? "" : value);
  made.append(...children.flat().filter((child) => child !== null && child !== false));
  return made;
}

const whole = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

/** Three significant digits, as the reports have them: 0.00293, 22.6, 3,410, 4.06·10⁻⁷. */
export function shown(x, least = 1e-4) {
  const size = Math.abs(x);
  if (x === 0) return "0";
  if (size >= least && size < 1e6)
    return (size < 999.5 ? decimal(x) : whole.format(x)).replace("-", "−");
  const [digits, exponent] = x.toExponential(2).split("e");
  const raise = (sign) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)];
  const raised = [...exponent.replace("+", "")].map(raise);
  return `${digits.replace("-", "−")}·10${raised.join("")}`;
}

// toPrecision turns to exponents where shown does not.
function decimal(x) {
  const places = 2 - Math.floor(Math.log10(Math.abs(Number(x.toPrecision(3)))));
  return x.toFixed(places);
}

/** Where the site has a claim: its anchor is relative to reports/, whose pages are beside this. */
export function addressOf(core, id) {
  return core.claims[id]?.anchor.replace(/\.md(?=#|$)/, ".html");
}

/** A number that links to its claim, with its full value and the claim's finding as title. */
export function figure(core, value, claim, text = shown(value)) {
  const href = claim && addressOf(core, claim);
  const title = [String(value), claim && core.claims[claim]?.finding].filter(Boolean).join(" · ");
  const attributes = { href, title, class: "figure", "data-value": value };
  return element(href ? "a" : "span", attributes, text);
}

/** What runs once in the next frame, however often it is asked for until then. */
export function inNextFrame(run) {
  let due = false;
  return () => {
    if (due) return;
    due = true;
    requestAnimationFrame(() => {
      due = false;
      run();
    });
  };
}

/** A claim by its finding. */
export function claimLink(core, id) {
  return element("a", { href: addressOf(core, id), title: id }, core.claims[id]?.finding ?? id);
}

/**
 * Runs `run` with the core, and shows what stands in data-live instead of data-static, which is
 * what reads without JavaScript or WebAssembly.
 */
export async function start(run) {
  const reason = document.getElementById("reason");
  try {
    if (typeof WebAssembly === "undefined") throw new Error("this browser has no WebAssembly");
    if (typeof embedscaleCore === "undefined") throw new Error("explore-core.js is missing");
    const core = await embedscaleCore(); // of a script of its own
    for (const part of document.querySelectorAll("[data-static]")) part.hidden = true;
    for (const part of document.querySelectorAll("[data-live]")) part.hidden = false;
    run(core);
  } catch (error) {
    reason.textContent = `The numbers cannot be computed here: ${error.message}.`;
    reason.hidden = false;
    for (const part of document.querySelectorAll("[data-static]")) part.hidden = false;
    for (const part of document.querySelectorAll("[data-live]")) part.hidden = true;
  }
}
