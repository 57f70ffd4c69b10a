// TensorFlow.js, its plain JavaScript backend: binary32. The argument is where npm installed it.
import { createRequire } from "node:module";

import { Lacking, operation, serve } from "../../clients/embedscale_subject.mjs";

const tf = createRequire(process.argv[2] + "/")("@tensorflow/tfjs");

await tf.setBackend("cpu");
await tf.ready();

/** Registers what is computed with tensors of the arrays; numbers and texts come as they are. */
function subject(name, compute) {
  operation(name, ["binary32"], (inputs) =>
    tf.tidy(() => {
      const given = Object.entries(inputs).map(([key, value]) => [
        key,
        ArrayBuffer.isView(value)
          ? key === "tokens"
            ? tf.tensor(Int32Array.from(value), value.shape)
            : tf.tensor(value, value.shape, "float32")
          : value,
      ]);
      return plain(compute(Object.fromEntries(given)));
    }),
  );
}

const plain = (result) =>
  result instanceof tf.Tensor
    ? { data: result.dataSync(), shape: result.shape }
    : Object.fromEntries(Object.entries(result).map(([key, value]) => [key, plain(value)]));

subject("multiplier", ({ d_model }) => tf.sqrt(tf.scalar(d_model)));
subject("attention_scale", ({ d_k }) => tf.rsqrt(tf.scalar(d_k)));
subject("up", ({ e, p, m }) => e.mul(m).add(p));
subject("down", ({ e, p, m }) => e.add(p.div(m)));
subject("look_up", ({ table, tokens, multiplier }) => table.gather(tokens).mul(multiplier));
subject("input", ({ table, tokens, positions, multiplier }) =>
  table.gather(tokens).mul(multiplier).add(positions),
);
subject("layer_norm", ({ x, epsilon }) =>
  tf.layers.layerNormalization({ epsilon }).apply(x.expandDims(0)).squeeze([0]),
);
subject("softmax", ({ z }) => tf.softmax(z));
subject("logits", ({ q, keys, scale }) =>
  tf.matMul(keys, q.expandDims(1)).squeeze([1]).mul(scale),
);
subject("tied_logits", ({ table, h, multiplier }) =>
  tf.matMul(table, h.expandDims(1)).squeeze([1]).mul(multiplier),
);
subject("initialise", ({ distribution, parameter, rows, columns, seed }) => {
  const by = {
    normal: () => tf.initializers.randomNormal({ mean: 0, stddev: parameter, seed }),
    truncated_normal: () => tf.initializers.truncatedNormal({ mean: 0, stddev: parameter, seed }),
    uniform: () => tf.initializers.randomUniform({ minval: -parameter, maxval: parameter, seed }),
    xavier_normal: () => tf.initializers.glorotNormal({ seed }),
    xavier_uniform: () => tf.initializers.glorotUniform({ seed }),
  }[distribution]();
  return by.apply([rows, columns]);
});

/** One step of an optimiser of tf.train, which has no decay: an L2 penalty is in the gradient. */
async function stepped({ kind, step, parameter, gradient, rate, penalty, momentum, velocity, ...adam }) {
  if (kind === "adamw") throw new Lacking("no AdamW");
  const tensor = (array) => tf.tensor(array, array.shape);
  const name = `parameter_${++stepped.count}`;
  const variable = tf.variable(tensor(parameter), true, name);
  const by =
    kind === "sgd"
      ? tf.train.sgd(rate)
      : kind === "momentum"
        ? tf.train.momentum(rate, momentum)
        : tf.train.adam(rate, adam.beta_1, adam.beta_2, adam.epsilon);
  const states = { momentum: ["velocity"], adam: ["first", "second"] };
  const state = { momentum: [velocity], sgd: [] }[kind] ?? [adam.first, adam.second];
  const named = state.map((array) => ({ name, tensor: tensor(array) }));
  if (kind !== "sgd")
    await by.setWeights([{ name: "iter", tensor: tf.scalar(step - 1, "int32") }, ...named]);
  by.applyGradients([{ name, tensor: tensor(gradient).add(tensor(parameter).mul(penalty)) }]);
  const [, ...moved] = kind === "sgd" ? [null] : await by.getWeights();
  const results = { parameter: plain(variable) };
  states[kind]?.forEach((key, k) => (results[key] = plain(moved[k].tensor)));
  variable.dispose();
  by.dispose();
  return results;
}
stepped.count = 0;
operation("optimizer_step", ["binary32"], stepped);

await serve({ name: "TensorFlow.js", version: tf.version.tfjs });
