#include "rigid_chain.h"

#include <cstdarg>
#include <cstdio>
#include <memory>

#include "cuttle/bodies/rigid_body.h"
#include "cuttle/spatial/exponential.h"
#include "random_state.h"

namespace cuttle::bench {
namespace {

Matrix3 rotation_from_rpy(const Vector3& rpy) {
  return rotation_exponential(Vector3{0, 0, rpy.z}) * rotation_exponential(Vector3{0, rpy.y, 0}) *
         rotation_exponential(Vector3{rpy.x, 0, 0});
}

/// printf into the end of a string; URDF text needs all 17 digits.
[[gnu::format(printf, 2, 3)]] void append(std::string& text, const char* format, ...) {
  char buffer[512];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  text += buffer;
}

}  // namespace

std::vector<ChainLink> random_chain(int count) {
  Random random(7);
  std::vector<ChainLink> links;
  for (int i = 0; i < count; ++i) {
    ChainLink link;
    link.origin_rpy = random.vector3(-0.5, 0.5);
    link.origin_position = {random.uniform(-0.05, 0.05), random.uniform(-0.05, 0.05), random.uniform(0.1, 0.3)};
    link.axis = i % 2 == 0 ? Vector3{0, 0, 1} : Vector3{0, 1, 0};
    link.mass = random.uniform(0.5, 2.0);
    link.com = {random.uniform(-0.03, 0.03), random.uniform(-0.03, 0.03), random.uniform(0.05, 0.15)};
    // a solid box in arbitrary axes: moments of inertia that a real body has
    const Vector3 size = random.vector3(0.05, 0.3);
    const double m = link.mass / 12;
    link.inertia =
        SymmetricMatrix3::diagonal(m * (size.y * size.y + size.z * size.z), m * (size.x * size.x + size.z * size.z),
                                   m * (size.x * size.x + size.y * size.y))
            .rotated(rotation_from_rpy(random.vector3(-1.0, 1.0)));
    links.push_back(link);
  }
  return links;
}

Robot chain_robot(const std::vector<ChainLink>& links) {
  Robot robot;
  robot.name = "rigid_chain";
  for (const ChainLink& each : links) {
    Link link;
    link.name = "link" + std::to_string(robot.links.size());
    link.parent.pose = {rotation_from_rpy(each.origin_rpy), each.origin_position};
    link.joint = make_revolute_joint<double>(each.axis);
    link.body = std::make_shared<RigidBody>(RigidParameters{each.mass, each.com, each.inertia, Pose::identity()});
    robot.links.push_back(link);
  }
  return robot;
}

std::string chain_urdf(const std::vector<ChainLink>& links) {
  // MuJoCo's own element: take the inertias as they are (an impossible one is an error, not mended), no extra bodies
  std::string text =
      "<robot name=\"rigid_chain\">\n"
      "<mujoco><compiler balanceinertia=\"false\" boundmass=\"0\" boundinertia=\"0\" fusestatic=\"true\""
      " discardvisual=\"true\"/></mujoco>\n"
      "<link name=\"world\"/>\n";
  std::string parent = "world";
  for (std::size_t i = 0; i < links.size(); ++i) {
    const ChainLink& link = links[i];
    const std::string name = "link" + std::to_string(i);
    append(text, "<link name=\"%s\"><inertial>", name.c_str());
    append(text, "<origin xyz=\"%.17g %.17g %.17g\" rpy=\"0 0 0\"/>", link.com.x, link.com.y, link.com.z);
    append(text, "<mass value=\"%.17g\"/>", link.mass);
    append(text, "<inertia ixx=\"%.17g\" iyy=\"%.17g\" izz=\"%.17g\" ", link.inertia.xx, link.inertia.yy,
           link.inertia.zz);
    append(text, "ixy=\"%.17g\" ixz=\"%.17g\" iyz=\"%.17g\"/>", link.inertia.xy, link.inertia.xz, link.inertia.yz);
    append(text, "</inertial></link>\n<joint name=\"joint%zu\" type=\"continuous\">", i);
    append(text, "<parent link=\"%s\"/><child link=\"%s\"/>", parent.c_str(), name.c_str());
    append(text, "<axis xyz=\"%.17g %.17g %.17g\"/>", link.axis.x, link.axis.y, link.axis.z);
    append(text, "<origin xyz=\"%.17g %.17g %.17g\" ", link.origin_position.x, link.origin_position.y,
           link.origin_position.z);
    append(text, "rpy=\"%.17g %.17g %.17g\"/></joint>\n", link.origin_rpy.x, link.origin_rpy.y, link.origin_rpy.z);
    parent = name;
  }
  return text + "</robot>\n";
}

}  // namespace cuttle::bench
