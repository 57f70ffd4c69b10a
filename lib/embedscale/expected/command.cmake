# All that the command links, whatever else is built: what it lacks here it lacks in every build, and
# not only where the command alone is made.
set(EMBEDSCALE_EXPECTED_COMMAND first_layer normalization own_logit position_table residual_stream
                                softmax softmax_weights)
