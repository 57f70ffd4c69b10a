# What answers a question, by library, below analyses/: for the command, and for the browser.
set(EMBEDSCALE_TEXT_SOURCES report/json_once.cpp report/nearest.cpp report/table.cpp)
set(EMBEDSCALE_AUDIT_SOURCES
    audit/config_json.cpp
    audit/configuration.cpp
    audit/document.cpp
    audit/entry.cpp
    audit/error.cpp
    audit/expression.cpp
    audit/fields.cpp
    audit/findings.cpp
    audit/first_layer.cpp
    audit/json.cpp
    audit/manual.cpp
    audit/parts.cpp
    audit/scaled_down.cpp
    audit/scales.cpp
    audit/summary.cpp)
set(EMBEDSCALE_PORT_SOURCES port/differences.cpp port/json.cpp port/port.cpp port/steps.cpp
                            port/words.cpp)
set(EMBEDSCALE_CORE_SOURCES compare/compare.cpp compare/decision.cpp compare/json.cpp
                            compare/words.cpp core/core.cpp)
