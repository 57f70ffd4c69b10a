#pragma once
// Defects that public programs around embeddings, positions and 1/√d_k had, and the mutants that
// stand for them here: each is a row of that name in a topic's mutants.cpp, which a test rejects.
#include <array>
#include <string_view>

namespace embedscale::properties {

/// What rejects a mutant. An exact check is on one case what a statistical one is on many.
enum class Check { exact, bounded, none };

struct Defect {
  int number;
  std::string_view what;
  std::string_view thread;  ///< repository#number, or where it was read
  std::string_view size;    ///< of what it computes, against what it should
  Check check;
  std::string_view mutant;   ///< "" where there is none
  std::string_view why_not;  ///< then
};

inline constexpr std::array defects{
    Defect{1, "the multiplier rounded to bfloat16", "huggingface/transformers#29402", "+0.134 %",
           Check::exact, "takes_the_root_in_bfloat16", ""},
    Defect{2, "the real root where a model was trained with the rounded one",
           "huggingface/transformers#38702", "-0.17 %", Check::exact,
           "embeds_by_the_unrounded_root", ""},
    Defect{3, "embeddings scaled down against a later overflow", "huggingface/transformers#37226",
           "1/8", Check::exact, "scales_down_in_binary16", ""},
    Defect{4, "positions computed in binary16", "vllm#54569", "0.42 absolute", Check::bounded,
           "computes_positions_in_binary16", ""},
    Defect{5, "a rotary table in binary16 or bfloat16", "EleutherAI/gpt-neox#1003",
           "0.78 at position 1857", Check::none, "",
           "the library has no rotary positions; its angles are those of number 4"},
    Defect{6, "inverse frequencies rounded to binary32", "NVIDIA/TensorRT-LLM#18774",
           "10^-3 rad at position 32768", Check::bounded, "rounds_inverse_frequencies", ""},
    Defect{7, "1/base^x in the wrong precision", "huggingface/transformers#46174", "1.8 %",
           Check::bounded, "raises_the_base_in_bfloat16", ""},
    Defect{8, "a table of deviation d^-1/2 and no multiplier", "VHellendoorn/ICLR20-Great#10",
           "1/sqrt d", Check::bounded, "leaves_the_table_alone", ""},
    Defect{9, "positions scaled down", "nicklashansen/dreamer4#4", "1/sqrt d", Check::bounded,
           "divides_positions_by_the_root", ""},
    Defect{10, "the multiplier missing", "SamLynnEvans/Transformer#10", "1/sqrt d", Check::exact,
           "forgets_the_multiplier", ""},
    Defect{11, "multiplied for divided, or the reverse", "pytorch/tutorials#2849", "d",
           Check::bounded, "divides_the_table", ""},
    Defect{12, "sqrt d on top of a deviation of its own choice", "facebookresearch/fairseq#47",
           "2.3 at d = 512", Check::bounded, "draws_a_tenth", ""},
    Defect{13, "attention scaled by d_model, not d_k", "FrancescoSaverioZuppichini/ViT#1",
           "1/sqrt h", Check::bounded, "scales_by_the_whole_width", ""},
    Defect{14, "sine and cosine channels sliced wrongly", "BrianPulfer/PapersReimplementations#9",
           "a permutation", Check::bounded, "slices_the_other_way", ""},
    Defect{15, "query times key summed in binary16", "wenet#891", "infinite above 65504",
           Check::bounded, "sums_logits_in_binary16", ""},
    Defect{16, "the multiplier applied twice", "EleutherAI/gpt-neox#1087", "m", Check::bounded,
           "multiplies_twice", ""},
    Defect{17, "the paper's frequencies where tensor2tensor's were trained",
           "converters of Marian's models, by reading", "0.23 RMS at position 511", Check::bounded,
           "has_the_papers_frequencies_alone", ""},
    Defect{18, "a mean where a standard deviation was meant", "KerasHub T5Backbone, by reading",
           "cosine 0.998 between rows", Check::bounded, "takes_the_scale_for_the_mean", ""},
    Defect{19, "the fan-in of a (V, d) table taken as V", "KerasHub Gemma, by reading", "sqrt(V/d)",
           Check::bounded, "takes_the_vocabulary_for_the_fan_in", ""},
    Defect{20, "the deviations of tokens and positions swapped",
           "KerasHub GPT2Backbone, by reading", "2", Check::bounded, "swaps_the_laws", ""},
    Defect{21, "text multiplied twice, beside image features", "TensorAuto/OpenTau#179", "sqrt d",
           Check::exact, "multiplies_tokens_at_both_places", ""},
    Defect{22, "features still divided after the multiplier moved into the look-up", "vllm#52667",
           "1/sqrt d", Check::exact, "still_divides_features_at_the_look_up", ""},
    Defect{23, "the multiplier missing, unseen as the tested width was small",
           "marin-community/levanter#978", "1/sqrt d", Check::bounded, "leaves_the_table_alone",
           ""},
    Defect{24, "the real root where a model was trained with the rounded one, once more",
           "huggingface/transformers#37109", "-0.2 % at most", Check::exact,
           "embeds_by_the_unrounded_root", ""},
    Defect{25, "as many cosines as sines where the width is odd", "codertimo/BERT-pytorch#78",
           "a crash, or a channel", Check::none, "",
           "the library takes even widths; what programs do at odd ones is measured by "
           "sinusoidal.mean_square_is_half"},
};

}  // namespace embedscale::properties
