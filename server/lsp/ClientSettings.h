// Settings as editors send them.
#pragma once

#include "settings/Settings.h"

#include "llvm/Support/JSON.h"

namespace picket {

/// {"models": ["tso"], "check": {"trigger": "save"}, ...}, also with dotted keys, or all of it within "picket". Keys
/// that are no settings of checks are the editor's own and skipped; so is null.
SettingsLayer layerOfJson(const llvm::json::Value &Json, std::vector<SettingsProblem> &Problems);

/// The other way round, for whoever wants to see what is in force.
llvm::json::Value toJSON(const Settings &S);

} // namespace picket
