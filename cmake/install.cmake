# TBD
