#pragma once

/// What libcuttle shows to others: the namespace of its headers. Everything else in the shared library is hidden.
#define CUTTLE_API [[gnu::visibility("default")]]
