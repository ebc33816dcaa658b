// Eigen before Cuttle, without the target's definitions: refused at compile time where the two would not agree.
// clang-format off
#include <Eigen/Core>

#include <cuttle/model/data.h>
// clang-format on

int main() {}
