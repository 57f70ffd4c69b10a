// A subject: embedscale check -- node example.mjs
import { operation, serve } from "./embedscale_subject.mjs";

operation("layer_norm", ["binary64", "binary32"], ({ x, epsilon }) => {
  const mean = x.reduce((sum, value) => sum + value, 0) / x.length;
  const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length;
  return x.map((value) => (value - mean) / Math.sqrt(variance + epsilon));
});

await serve({ name: "example.mjs", version: "1" });
