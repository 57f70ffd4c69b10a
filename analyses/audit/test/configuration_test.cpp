// What is read from a configuration, what stands where nothing is, and what --set makes of it.
#include "configurations.hpp"

#include "audit/fields.hpp"

#include <set>

namespace embedscale::audit {
namespace {

/// A value in words; "-" where there is none.
std::string word(std::string_view value) { return std::string(value); }
std::string word(double value) { return fmt::format("{}", value); }
std::string word(std::int64_t value) { return fmt::format("{}", value); }
std::string word(const Law& law) {
  return std::string(name_of(law.kind)) + (law.parameter ? fmt::format(":{}", *law.parameter) : "");
}
std::string word(EpsilonPlacement placement) {
  return placement == EpsilonPlacement::variance ? "variance" : "standard_deviation";
}
std::string word(const NormLayer& norm);
template <class Value>
std::string word(const std::optional<Value>& value) {
  if constexpr (requires { name_of(*value); })
    return value ? std::string(name_of(*value)) : "-";
  else
    return value ? word(*value) : "-";
}
std::string word(const NormLayer& norm) {
  return fmt::format("{}:{}:{}", name_of(norm.kind), word(norm.epsilon), word(norm.placement));
}

/// What a configuration came to, "field=value" each.
std::set<std::string> values_of(const Configuration& c) {
  const auto& [d_model, heads, d_k, vocabulary, positions] = c.model;
  const bool halves = c.position.layout == SinusoidalLayout::halves;
  std::set<std::string> all = {
      "name=" + c.name,
      "file=" + c.file,
      "d_model=" + word(d_model),
      "heads=" + word(heads),
      "d_k=" + word(d_k),
      "vocabulary=" + word(vocabulary),
      "positions=" + word(positions),
      "token=" + word(c.token.law),
      "token.multiplier=" + word(c.token.multiplier),
      "token.format=" + word(name_of(c.token.format)),
      "token.width=" + word(c.token.width),
      "position=" + word(name_of(c.position.kind)),
      std::string("combine=") + (c.position.combine == Combine::sum ? "sum" : "concatenation"),
      "frequencies=" + word(name_of(c.position.frequencies)),
      std::string("layout=") + (halves ? "halves" : "interleaved"),
      "base=" + word(c.position.base),
      "first=" + word(c.position.first),
      "position.law=" + word(c.position.law),
      "position.multiplier=" + word(c.position.multiplier),
      "embedding_norm=" + word(c.embedding_norm),
      "block.norm=" + word(c.block.where),
      "block=" + word(c.block.norm),
      "scale=" + word(c.attention.scale),
      "q=" + word(c.attention.projection_q),
      "k=" + word(c.attention.projection_k),
      "tied=" + (c.output.tied ? std::string(*c.output.tied ? "true" : "false") : "-"),
      "output.law=" + word(c.output.law),
      "output.multiplier=" + word(c.output.multiplier),
      fmt::format("extras={}", c.extras.size())};
  for (std::size_t i = 0; i < c.extras.size(); ++i)
    all.insert(fmt::format("extra{}={}:{}:{}:{}", i, c.extras[i].name, word(c.extras[i].law),
                           word(c.extras[i].rows), word(c.extras[i].multiplier)));
  for (const char* field : {"token.law", "model.heads", "model.d_model", "model.vocabulary"})
    all.insert(fmt::format("{}:{}", field, name_of(c.mark_of(field))));
  return all;
}

/// A configuration, changes to it, one a line, and some of what it then comes to.
struct Row {
  std::string toml, changes, values;
};

/// All but what kind of position is marked absent.
std::string nothing_known() {
  std::string toml = "[position]\nkind = 'sinusoidal'\n[marks]\n";
  for (const char* field : {"model.d_model", "model.heads", "model.d_k", "token.law",
                            "token.multiplier", "position.base", "position.multiplier",
                            "block.norm", "attention.scale", "attention.projection", "output.tied"})
    toml += fmt::format("'{}' = 'absent'\n", field);
  return toml;
}

const std::string normal_extra = "[[extra]]\nlaw = 'normal'\nstandard_deviation = 1\n",
                  normal_projection =
                      "[attention]\nprojection = 'normal'\nprojection_standard_deviation = 2\n",
                  norm_on_sum = "[embedding_norm]\nkind = 'rms_norm'\nepsilon = 1\n",
                  marked = model +
                           "[position]\nkind = 'none'\n[marks]\n"
                           "'token.law' = { mark = 'absent', source = 'x' }\n"
                           "'model.vocabulary' = 'absent'\n";

const Row rows[] = {
    // Defaults.
    {whole, "",
     "name=f file=f.toml d_k=64 vocabulary=- positions=- token=normal:1 token.multiplier=1 "
     "token.format=binary32 token.width=512 frequencies=paper layout=interleaved combine=sum "
     "base=10000 first=0 position.multiplier=1 embedding_norm=- block.norm=none scale=0.125 "
     "q=xavier_uniform k=xavier_uniform tied=true output.multiplier=1 extras=0 token.law:read"},
    // Formulas of the configuration's own fields.
    {"[model]\nd_model = 64\nheads = 3\nd_k = 'd_model/4'\nvocabulary = '2^10'\n[token]\n"
     "law = 'uniform'\nhalf_range = '1/vocabulary'\nmultiplier = 'd_k + heads'\n[position]\n"
     "kind = 'none'\n[attention]\nscale = '1/d_k'\n[[extra]]\nlaw = 'normal'\n"
     "standard_deviation = '1/heads'\n",
     "",
     "d_k=16 vocabulary=1024 token=uniform:0.0009765625 token.multiplier=19 scale=0.0625 "
     "extra0=:normal:0.3333333333333333:-:1"},
    // A norm on the sum stands there if its section does.
    {whole + "[embedding_norm]\n", "", "embedding_norm=layer_norm:1e-05:variance"},
    {whole + "[embedding_norm]\nepsilon = 3\n", "", "embedding_norm=layer_norm:3:variance"},
    // Laws of their own for q and k.
    {whole + normal_projection + "projection_k = 'uniform'\nprojection_k_half_range = 3\n", "",
     "q=normal:2 k=uniform:3"},
    {whole + "[attention]\nprojection_q = 'zeros'\nprojection_k = 'packed_xavier_uniform'\n", "",
     "q=zeros k=packed_xavier_uniform"},
    // Further tables, in their order.
    {whole + "[[extra]]\nname = 'segment'\nlaw = 'normal'\nstandard_deviation = 1\n[[extra]]\n" +
         "law = 'xavier_normal'\nrows = 2\nmultiplier = 'sqrt(d_model)'\n",
     "", "extra0=segment:normal:1:-:1 extra1=:xavier_normal:2:22.627416997969522"},
    // A concatenated position gets what the tokens leave.
    {"[model]\nd_model = 10\nheads = 2\n[token]\nlaw = 'normal'\nstandard_deviation = 1\n"
     "width = 6\n[position]\nkind = 'sinusoidal'\ncombine = 'concatenation'\n",
     "", "token.width=6 d_k=5 combine=concatenation"},
    // Marks; what is absent has no default, and d_k is not worked out.
    {whole + "[marks]\n'token.law' = 'inferred'\n'model.heads' = { mark = 'assumed', source = "
             "'x' }\n",
     "", "token.law:inferred model.heads:assumed model.d_model:read"},
    {nothing_known(), "",
     "d_model=- d_k=- token=- token.multiplier=- base=- position.multiplier=- block.norm=- scale=- "
     "q=- k=- tied=-"},
    {whole + "[marks]\n'model.d_k' = 'absent'\n", "", "d_k=- scale=-"},
    // --set takes numbers, words, formulas and truths.
    {whole, "token.multiplier=-2.5e3", "token.multiplier=-2500"},
    {whole, "token.multiplier=18014398509481984", "token.multiplier=1.8014398509481984e+16"},
    {whole, "model.d_model=0x400", "d_model=1024"},
    {whole, "position.kind=rotary", "position=rotary"},
    {whole, "position.kind=\"rotary\"", "position=rotary"},
    {whole, "position.kind='rotary'", "position=rotary"},
    {whole, "token.multiplier=sqrt(d_model)", "token.multiplier=22.627416997969522"},
    {whole, "token.multiplier='2^3'", "token.multiplier=8"},
    {whole, "token.multiplier=d_model == 512 ? 3 : 4", "token.multiplier=3"},
    {whole, "output.tied=true", "tied=true"},
    {whole, "output.tied=false\noutput.law=zeros", "tied=false output.law=zeros"},
    {whole, "name=a.b", "name=a.b"},
    {whole, "position.layout=halves\nposition.first=3", "layout=halves first=3"},
    {whole, "embedding_norm.kind=rms_norm\nblock.norm=pre",
     "embedding_norm=rms_norm:1e-05:variance block.norm=pre"},
    // It takes away where the value is empty, and a section with its last field.
    {whole + "multiplier = 3\n[block]\nnorm = 'pre'\nepsilon = 0.5\n", "",
     "position.multiplier=3 block=layer_norm:0.5:variance"},
    {whole + "multiplier = 3\n[block]\nnorm = 'pre'\nepsilon = 0.5\n",
     "position.multiplier=\nblock.epsilon=",
     "position.multiplier=1 block=layer_norm:1e-05:variance"},
    {whole, "token.law=uniform\ntoken.standard_deviation=\ntoken.half_range=1", "token=uniform:1"},
    {whole + norm_on_sum, "embedding_norm.kind=", "embedding_norm=layer_norm:1:variance"},
    {whole + norm_on_sum, "embedding_norm.kind=\nembedding_norm.epsilon=", "embedding_norm=-"},
    {whole, "embedding_norm.epsilon=", "embedding_norm=-"},
    // It works in the order given, and lets formulas follow.
    {whole, "token.multiplier=2\ntoken.multiplier=3", "token.multiplier=3"},
    {whole, "token.multiplier=3\ntoken.multiplier=", "token.multiplier=1"},
    {whole + "multiplier = 'd_model'\n", "model.d_model=64", "position.multiplier=64"},
    // It reaches into further tables.
    {whole + normal_extra + normal_extra,
     "extra[1].standard_deviation=5\nextra[0].law=xavier_uniform\nextra[0].standard_deviation=",
     "extra0=:xavier_uniform:-:1 extra1=:normal:5:-:1"},
    // It gives what was marked absent; what is taken away is not absent, but has its default.
    {marked, "token.law=normal\ntoken.standard_deviation=2",
     "token=normal:2 token.law:read model.vocabulary:absent"},
    {marked, "token.law=normal\ntoken.standard_deviation=2\nmodel.vocabulary=5\nmodel.vocabulary=",
     "model.vocabulary:read"},
};

TEST(configuration, comes_to_what_it_states_and_to_its_defaults) {
  for (const auto& [toml, changes, values] : rows) {
    const auto all = values_of(configured(toml, changes_from(changes)));
    for (const std::string& value : words_of(values))
      EXPECT_TRUE(all.contains(value)) << value << " of " << toml << changes;
  }
}

TEST(configuration, is_read_from_a_stream_and_named_by_itself_or_its_file) {
  std::istringstream named("name = 'piped'\n" + whole), unnamed(whole);
  EXPECT_EQ(read_configuration(named, "-").name, "piped");
  EXPECT_EQ(read_configuration(unnamed, "-").name, "standard input");
  EXPECT_EQ(parse_configuration(whole, "dir/mine.toml").name, "mine");
}

TEST(configuration, lists_the_defaults_that_count) {
  // Without a norm there is no ε, and 1 is 1 in every format.
  const std::string sines = " position.frequencies=paper position.layout=interleaved",
                    more = " position.base=10000 position.multiplier=1",
                    one = " token.multiplier=1", no_norm = " block.norm=none",
                    scale = " attention.scale=1/sqrt(d_k)",
                    projection = " attention.projection=xavier_uniform",
                    output = " output.tied=true output.multiplier=1";
  const std::string rest = scale + projection + output;
  for (const auto& [toml, expected] : {
           std::pair(whole, sines + one + more + no_norm + rest),
           {whole + "[block]\nnorm = 'pre'\nkind = 'rms_norm'\n",
            sines + one + more + " block.epsilon=1e-5 block.epsilon_added_to=variance" + rest},
           {whole + "[embedding_norm]\n",
            sines + one + more +
                " embedding_norm.kind=layer_norm embedding_norm.epsilon=1e-5"
                " embedding_norm.epsilon_added_to=variance" +
                no_norm + rest},
           {model + token + "[position]\nkind = 'rotary'\n", one + no_norm + rest},
           {whole + "[attention]\nprojection_q = 'zeros'\nprojection_k = 'zeros'\n",
            sines + one + more + no_norm + scale + output},
           {nothing_known(), sines + " token.multiplier_format=binary32 output.multiplier=1"},
       }) {
    std::string all;
    for (const auto& [field, words] : configured(toml).defaults) all += " " + field + "=" + words;
    EXPECT_EQ(all, expected);
  }
}

}  // namespace
}  // namespace embedscale::audit
