#pragma once
// The words that a configuration chooses among, with what each means.
#include <algorithm>

#include "audit/configuration.hpp"
#include "audit/entry.hpp"

namespace embedscale::audit {

// The words for laws: of a projection, of a table, of an output matrix.
inline constexpr Choices<LawKind, 7> projection_laws{
    {{"normal", LawKind::normal},
     {"uniform", LawKind::uniform},
     {"truncated_normal", LawKind::truncated_normal},
     {"xavier_uniform", LawKind::xavier_uniform},
     {"xavier_normal", LawKind::xavier_normal},
     {"packed_xavier_uniform", LawKind::packed_xavier_uniform},
     {"zeros", LawKind::zeros}}};
inline constexpr auto table_laws = [] {
  Choices<LawKind, 5> laws;
  std::copy_n(projection_laws.begin(), laws.size(), laws.begin());
  return laws;
}();
inline constexpr auto output_laws = [] {
  Choices<LawKind, 6> laws;
  std::copy_n(projection_laws.begin(), laws.size(), laws.begin());
  laws.back() = projection_laws.back();
  return laws;
}();

inline constexpr Choices<NumberFormat, 4> formats{{{"binary64", NumberFormat::binary64},
                                                   {"binary32", NumberFormat::binary32},
                                                   {"binary16", NumberFormat::binary16},
                                                   {"bfloat16", NumberFormat::bfloat16}}};
inline constexpr Choices<TokenKind, 2> token_kinds{
    {{"table", TokenKind::table}, {"features", TokenKind::features}}};
inline constexpr Choices<Projected, 2> projected_parts{
    {{"token", Projected::token}, {"sum", Projected::sum}}};
inline constexpr Choices<PositionKind, 7> position_kinds{
    {{"sinusoidal", PositionKind::sinusoidal},
     {"learned", PositionKind::learned},
     {"rotary", PositionKind::rotary},
     {"relative", PositionKind::relative},
     {"relative_bias", PositionKind::relative_bias},
     {"alibi", PositionKind::alibi},
     {"none", PositionKind::none}}};
inline constexpr Choices<Combine, 2> combinations{
    {{"sum", Combine::sum}, {"concatenation", Combine::concatenation}}};
inline constexpr Choices<FrequencyRule, 2> frequency_rules{
    {{"paper", FrequencyRule::paper}, {"tensor2tensor", FrequencyRule::tensor2tensor}}};
inline constexpr Choices<SinusoidalLayout, 2> layouts{
    {{"interleaved", SinusoidalLayout::interleaved}, {"halves", SinusoidalLayout::halves}}};
inline constexpr Choices<expected::Norm::Kind, 2> norm_kinds{
    {{"layer_norm", expected::Norm::Kind::layer_norm},
     {"rms_norm", expected::Norm::Kind::rms_norm}}};
inline constexpr Choices<EpsilonPlacement, 2> placements{
    {{"variance", EpsilonPlacement::variance},
     {"standard_deviation", EpsilonPlacement::standard_deviation}}};
inline constexpr Choices<BlockNorm, 3> block_norms{
    {{"pre", BlockNorm::pre}, {"post", BlockNorm::post}, {"none", BlockNorm::none}}};
inline constexpr Choices<Gain, 3> gains{
    {{"plain", Gain::plain}, {"one_plus", Gain::one_plus}, {"none", Gain::none}}};
inline constexpr Choices<Sharing, 5> offers{{{"always", Sharing::always},
                                             {"by_default", Sharing::by_default},
                                             {"on_request", Sharing::on_request},
                                             {"optional", Sharing::optional},
                                             {"never", Sharing::never}}};

inline constexpr Choices<MultipliedWhen, 2> multiplied_when{
    {{"always", MultipliedWhen::always}, {"sinusoidal", MultipliedWhen::sinusoidal}}};
inline constexpr Choices<MultipliedOutput, 2> multiplied_outputs{
    {{"always", MultipliedOutput::any}, {"tied", MultipliedOutput::tied}}};

}  // namespace embedscale::audit
