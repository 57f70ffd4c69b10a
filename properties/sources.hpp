#pragma once
// Where the claims were asked or said (S0 … S4, threads) and what their statements rest on.
#include <array>
#include <string_view>

namespace embedscale::properties {

struct Source {
  std::string_view key;
  std::string_view title;
  std::string_view address;  ///< empty where no permanent address is known
};

inline constexpr std::array sources{
    Source{"S0",
           "Why scale up embeddings by √d_model instead of scaling down positional encodings?", ""},
    Source{"S1",
           "Transformer model: Why are word embeddings scaled before adding positional encodings?",
           "https://datascience.stackexchange.com/questions/87906"},
    Source{"S2", "Scaling the Embedding Outcome in the Encoder",
           "https://community.deeplearning.ai/t/19640"},
    Source{"S3",
           "Why are the embeddings of tokens multiplied by √D (note not divided by square root of "
           "D) in a transformer?",
           "https://stats.stackexchange.com/questions/534618"},
    Source{"S4", "Why sum positional encodings with word embeddings instead of concatenating?", ""},
    Source{"t2t1718", "tensor2tensor, issue 1718: why the √d factor",
           "https://github.com/tensorflow/tensor2tensor/issues/1718"},
    Source{"t2t177", "tensor2tensor, pull request 177: how the timing signal is computed",
           "https://github.com/tensorflow/tensor2tensor/pull/177"},
    Source{"jadore138",
           "attention-is-all-you-need-pytorch, issue 138: √d at the embedding or the projection",
           "https://github.com/jadore801120/attention-is-all-you-need-pytorch/issues/138"},
    Source{"icefall17", "icefall, pull request 17: initialise at d^−½ and multiply by √d",
           "https://github.com/k2-fsa/icefall/pull/17"},
    Source{"dreamer4", "dreamer4, pull request 4: positions scaled by 1/√D lose fine detail",
           "https://github.com/nicklashansen/dreamer4/pull/4"},
    Source{"gemma29402", "transformers, pull request 29402: Gemma's √3072 in bfloat16",
           "https://github.com/huggingface/transformers/pull/29402"},
    Source{"sand3", "SAnD, issue 3: why the embedding is multiplied by √d_model",
           "https://github.com/khirotaka/SAnD/issues/3"},
    Source{"mup", "mup, the package of Tensor Programs V: attention scaled by 1/d",
           "https://github.com/microsoft/mup"},
    Source{"hf26441", "transformers, pull request 26441: initialisation of T5's output matrix",
           "https://github.com/huggingface/transformers/pull/26441"},
    Source{"bugs", "defects of this kind in public code, listed with the mutants", ""},
    Source{"vaswani2017", "Vaswani et al. 2017, Attention is all you need",
           "https://arxiv.org/abs/1706.03762"},
    Source{"higham2002", "Higham 2002, Accuracy and Stability of Numerical Algorithms, 2nd ed.",
           "https://doi.org/10.1137/1.9780898718027"},
    Source{"jeannerod2018",
           "Jeannerod and Rump 2018, On relative errors of floating-point operations",
           "https://doi.org/10.1090/mcom/3234"},
    Source{"srivastava2014", "Srivastava et al. 2014, Dropout",
           "https://jmlr.org/papers/v15/srivastava14a.html"},
    Source{"tensor2tensor", "Vaswani et al. 2018, Tensor2Tensor for neural machine translation",
           "https://arxiv.org/abs/1803.07416"},
    Source{"d2l", "Zhang et al. 2021, Dive into deep learning", "https://arxiv.org/abs/2106.11342"},
    Source{
        "glorot2010",
        "Glorot and Bengio 2010, Understanding the difficulty of training deep feedforward neural "
        "networks",
        "https://proceedings.mlr.press/v9/glorot10a.html"},
    Source{"press2017",
           "Press and Wolf 2017, Using the output embedding to improve language models",
           "https://arxiv.org/abs/1608.05859"},
    Source{"kingma2015", "Kingma and Ba 2015, Adam: a method for stochastic optimization",
           "https://arxiv.org/abs/1412.6980"},
    Source{"vershynin2018", "Vershynin 2018, High-Dimensional Probability, section 3.1",
           "https://doi.org/10.1017/9781108231596"},
    Source{"ke2021", "Ke, He and Liu 2021, Rethinking positional encoding in language pre-training",
           "https://arxiv.org/abs/2006.15595"},
    Source{"craig1936", "Craig 1936, On the frequency function of xy",
           "https://doi.org/10.1214/aoms/1177732541"},
    Source{"derrida1981",
           "Derrida 1981, Random-energy model: an exactly solvable model of disordered systems",
           "https://doi.org/10.1103/PhysRevB.24.2613"},
    Source{"yang2022",
           "Yang et al. 2022, Tensor Programs V: tuning large neural networks via zero-shot "
           "hyperparameter transfer",
           "https://arxiv.org/abs/2203.03466"},
    Source{"stein1981", "Stein 1981, Estimation of the mean of a multivariate normal distribution",
           "https://doi.org/10.1214/aos/1176345632"},
    Source{"sylvester1867",
           "Sylvester 1867, Thoughts on inverse orthogonal matrices, simultaneous sign-successions",
           "https://doi.org/10.1080/14786446708639914"},
    Source{"ieee754", "IEEE 754-2019, Standard for Floating-Point Arithmetic",
           "https://doi.org/10.1109/IEEESTD.2019.8766229"},
    Source{"niederreiter1992",
           "Niederreiter 1992, Random number generation and quasi-Monte Carlo methods (Koksma's "
           "inequality)",
           "https://doi.org/10.1137/1.9781611970081"},
    Source{"golub2013", "Golub and Van Loan 2013, Matrix computations, 4th ed.", ""},
    Source{"muirhead1982", "Muirhead 1982, Aspects of multivariate statistical theory",
           "https://doi.org/10.1002/9780470316559"},
    Source{"johnson1995",
           "Johnson, Kotz and Balakrishnan 1995, Continuous univariate distributions, volume 2, "
           "2nd ed.",
           ""},
    Source{"maurer2009",
           "Maurer and Pontil 2009, Empirical Bernstein bounds and sample variance penalization",
           "https://arxiv.org/abs/0907.3740"},
    Source{"kaplan2020", "Kaplan et al. 2020, Scaling laws for neural language models",
           "https://arxiv.org/abs/2001.08361"},
};

}  // namespace embedscale::properties
