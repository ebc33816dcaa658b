#pragma once

// One name in all copies, each with a width of its own: linked as they are, all copies would get the same one.
inline int lanes() { return CUTTLE_ISA_WIDTH; }
