// The configuration that the page is about: a system or a file's TOML, and what was set beside it.

export class Configuration {
  /** Of an address's fragment: #system=hf_gemma&set=token.multiplier%3D1, or toml=…&file=… */
  constructor(fragment) {
    const given = new URLSearchParams(fragment.replace(/^#/, "").replaceAll("+", "%2B"));
    this.toml = given.get("toml");
    this.system = this.toml === null ? given.get("system") : null;
    this.file = this.system === null ? given.get("file") : null;
    this.changes = new Map();
    for (const change of given.getAll("set")) {
      const at = change.indexOf("=");
      if (at > 0) this.set({ [change.slice(0, at)]: change.slice(at + 1) });
    }
  }

  /** As the core takes it. */
  get inputs() {
    const { system, toml } = this;
    return toml === null ? [{ system }] : [{ name: "configuration.toml", text: toml }];
  }
  /** Whether there is either: a fragment may be a place in the page. */
  get isOne() {
    return this.toml !== null || this.system !== null;
  }
  get options() {
    return { set: [...this.changes].map(([path, value]) => `${path}=${value}`) };
  }

  /** What is set later counts; without a value it is as in the system or the file. */
  set(changes) {
    for (const [path, value] of Object.entries(changes)) {
      this.changes.delete(path);
      if (value !== null) this.changes.set(path, String(value));
    }
  }

  get fragment() {
    const part = (key, value) => `${key}=${encodeURIComponent(value)}`;
    const source = this.toml === null ? [part("system", this.system)] : [part("toml", this.toml)];
    if (this.file) source.push(part("file", this.file));
    return "#" + [...source, ...this.options.set.map((one) => part("set", one))].join("&");
  }

  get command() {
    const quoted = (word) =>
      /^[\w.=+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
    const source = this.toml === null ? `--system ${quoted(this.system)}` : "configuration.toml";
    const changes = this.options.set.map((one) => ` --set ${quoted(one)}`);
    return `./dev embedscale compare ${source}${changes.join("")}`;
  }
}

/**
 * What to set so that a field has a value, along with the fields that hang on it. `own` are the
 * fields of the configuration without changes: where they have the value, nothing is set.
 */
export function changesFor(path, value, own) {
  const is = own[path]?.value;
  const same = is !== null && is !== undefined && is !== "" &&
    (is === String(value) || (value !== "" && Number(is) === Number(value)));
  const kept = (names) => Object.fromEntries(names.map((name) => [name, null]));
  // A distribution of one parameter gives way to a normal one of that deviation.
  const normal = (table, deviation) => ({
    ...(own[`${table}.law`]?.value !== "normal" && {
      [`${table}.law`]: "normal", [`${table}.half_range`]: "",
    }),
    [`${table}.standard_deviation`]: deviation,
  });
  const law = (table) => [`${table}.law`, `${table}.half_range`, `${table}.standard_deviation`];
  switch (path) {
    case "token.standard_deviation":
      return same ? kept(law("token")) : normal("token", value);
    case "position.standard_deviation":
      return same ? kept(law("position")) : normal("position", value);
    case "position.kind":
      return {
        ...kept([...law("position"), "position.multiplier"]),
        ...(value === "learned" && !same ? normal("position", "d_model^-0.5") : {}),
        [path]: same ? null : value,
      };
    case "embedding_norm.kind":
      return {
        [path]: same ? null : value === "none" ? "" : value,
        "embedding_norm.epsilon": value === "none" && !same ? "" : null,
        "embedding_norm.epsilon_added_to": value === "none" && !same ? "" : null,
      };
    case "output.tied":
      if (same) return kept([path, "output.sharing", ...law("output")]);
      return {
        "output.sharing": "", "output.half_range": "",
        "output.law": value === "true" ? "" : "normal",
        "output.standard_deviation": value === "true" ? "" : "d_model^-0.5",
        [path]: value,
      };
    default:
      return { [path]: same ? null : value };
  }
}
