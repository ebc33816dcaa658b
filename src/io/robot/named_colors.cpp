#include "io/robot/named_colors.h"

namespace cuttle {
namespace {

constexpr NamedColor color(const char* name, unsigned rgb) {
  return {name, {(rgb >> 16) / 255.0, (rgb >> 8 & 0xff) / 255.0, (rgb & 0xff) / 255.0, 1.0}};
}

constexpr NamedColor k_colors[] = {
    color("black", 0x000000),  color("white", 0xffffff),     color("gray", 0x808080),
    color("silver", 0xc0c0c0), color("dimgray", 0x696969),   color("slategray", 0x708090),
    color("red", 0xff0000),    color("firebrick", 0xb22222), color("tomato", 0xff6347),
    color("salmon", 0xfa8072), color("orange", 0xffa500),    color("gold", 0xffd700),
    color("yellow", 0xffff00), color("olive", 0x808000),     color("green", 0x008000),
    color("lime", 0x00ff00),   color("seagreen", 0x2e8b57),  color("teal", 0x008080),
    color("cyan", 0x00ffff),   color("skyblue", 0x87ceeb),   color("steelblue", 0x4682b4),
    color("blue", 0x0000ff),   color("royalblue", 0x4169e1), color("navy", 0x000080),
    color("purple", 0x800080), color("orchid", 0xda70d6),    color("magenta", 0xff00ff),
    color("pink", 0xffc0cb),   color("brown", 0xa52a2a),     color("tan", 0xd2b48c)};

}  // namespace

std::span<const NamedColor> named_colors() { return k_colors; }

}  // namespace cuttle
