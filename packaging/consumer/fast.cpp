#include <embedscale/fast/fast.hpp>
int main() {
  float logits[] = {1, 1};
  embedscale::fast::softmax(logits, 2);
  return logits[0] == 0.5F ? 0 : 1;
}
