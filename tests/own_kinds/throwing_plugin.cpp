// A plugin that throws what nobody expects.
#include "cuttle/io/plugin.h"

CUTTLE_PLUGIN([] { throw 42; })
