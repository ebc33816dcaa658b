// Joints of SDF of all versions: axes in the model's frame, frames as their ends. The answers come from the
// specification alone: poses of frames in the model, and products of the joints' motions in it.
#include <Eigen/Geometry>
#include <cmath>
#include <map>
#include <sstream>

#include "cuttle/spatial/eigen.h"
#include "io/import_support.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using Eigen::Isometry3d;
using testing::HasSubstr;

constexpr unsigned k_seed = 26;

/// A model in SDF as it is written, and what that means.
class WrittenModel {
 public:
  enum class Style { all_in_model, parent_model_frame, expressed_in, frames_as_ends };

  WrittenModel(unsigned seed, const std::string& version, Style style) : random_(seed), style_(style) {
    body_ << std::setprecision(17);
    world_model_ = pose_text(placement_);
    for (int i = 0; i < k_links; ++i) add_link(i);
    for (int i = 1; i < k_links; ++i) add_joint(i);
    text_ = "<sdf version=\"" + version + "\"><model name=\"m\"><pose>" + placement_ + "</pose>" + body_.str() +
            "<joint name=\"root\" type=\"fixed\"><parent>world</parent><child>l0</child></joint></model></sdf>";
  }

  static constexpr int k_links = 5;
  const std::string& text() const { return text_; }

  /// Frames of the links in the world.
  std::vector<Isometry3d> links(const Eigen::VectorXd& q) const {
    std::vector<Isometry3d> result;
    for (const Moved& moved : motion(q)) result.push_back(moved.world_model * moved.link->model);
    return result;
  }
  /// Mass matrix and generalized weight by Jacobians of the centers of mass.
  std::pair<Eigen::MatrixXd, Eigen::VectorXd> dynamics(const Eigen::VectorXd& q, const Eigen::Vector3d& gravity) const {
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(k_links - 1, k_links - 1);
    Eigen::VectorXd weight = Eigen::VectorXd::Zero(k_links - 1);
    const std::vector<Moved> all = motion(q);
    for (int i = 0; i < k_links; ++i) {
      const Isometry3d world_link = all[i].world_model * links_[i].model;
      const Eigen::Vector3d com = world_link * links_[i].com;
      Eigen::MatrixXd v = Eigen::MatrixXd::Zero(3, k_links - 1), w = v;
      for (int k = i; k > 0; k = links_[k].parent) {
        const Isometry3d& before = all[links_[k].parent].world_model;
        const Eigen::Vector3d axis = before.linear() * links_[k].axis;
        const Eigen::Vector3d arm = com - before * links_[k].joint.translation();
        v.col(k - 1) = links_[k].slides ? axis : axis.cross(arm);
        if (!links_[k].slides) w.col(k - 1) = axis;
      }
      const Eigen::Matrix3d I = world_link.linear() * links_[i].moments.asDiagonal() * world_link.linear().transpose();
      M += links_[i].mass * v.transpose() * v + w.transpose() * I * w;
      weight += links_[i].mass * v.transpose() * gravity;
    }
    return {M, weight};
  }

 private:
  struct Link {
    Isometry3d model, joint;  // its frame, and that of its joint, in the model's
    int parent = -1;
    bool slides = false;
    Eigen::Vector3d axis;  // in the model's frame
    double mass = 0.0;
    Eigen::Vector3d com, moments;
  };
  /// The model's frame as it has moved with a link.
  struct Moved {
    const Link* link;
    Isometry3d world_model;
  };

  double number() { return random_.uniform(-1.0, 1.0); }

  static std::string joined(const Eigen::VectorXd& numbers) {
    std::ostringstream text;
    text << std::setprecision(17);
    for (const double x : numbers) text << x << " ";
    return text.str();
  }
  /// A random pose: roll, pitch, yaw about fixed axes. @param text  as it is written.
  Isometry3d pose_text(std::string& text) {
    Eigen::VectorXd x(6);
    for (double& one : x) one = number();
    text = joined(x);
    using Eigen::AngleAxisd, Eigen::Vector3d;
    Isometry3d pose = Isometry3d::Identity();
    pose.translation() = x.head(3);
    pose.linear() = (AngleAxisd(x[5], Vector3d::UnitZ()) * AngleAxisd(x[4], Vector3d::UnitY()) *
                     AngleAxisd(x[3], Vector3d::UnitX()))
                        .toRotationMatrix();
    return pose;
  }

  void add_link(int i) {
    Link link;
    std::string pose;
    link.model = pose_text(pose);
    link.mass = random_.uniform(0.5, 2.0);
    link.com = {number(), number(), number()};
    link.moments = {random_.uniform(0.2, 0.3), random_.uniform(0.2, 0.3), random_.uniform(0.2, 0.3)};
    body_ << "<link name=\"l" << i << "\"><pose>" << pose << "</pose><inertial><pose>" << joined(link.com)
          << " 0 0 0</pose><mass>" << link.mass << "</mass><inertia><ixx>" << link.moments[0] << "</ixx><iyy>"
          << link.moments[1] << "</iyy><izz>" << link.moments[2] << "</izz></inertia></inertial></link>\n";
    links_.push_back(link);
  }

  /// A frame that moves with a link, directly, through another frame or through the link's joint.
  std::string frame_on(int link, const std::string& name, Isometry3d& model_frame) {
    std::string pose, other;
    Isometry3d on = links_[link].model;
    std::string attached = "l" + std::to_string(link);
    if (link > 0 && random_.chance(0.4)) attached = "j" + std::to_string(link), on = links_[link].joint;
    const Isometry3d relative = pose_text(pose);
    model_frame = on * relative;
    body_ << "<frame name=\"" << name << "\" attached_to=\"" << attached << "\"><pose>" << pose << "</pose></frame>\n";
    if (random_.chance(0.5)) return name;
    model_frame = model_frame * pose_text(other);
    body_ << "<frame name=\"" << name << "_on\" attached_to=\"" << name << "\"><pose>" << other << "</pose></frame>\n";
    return name + "_on";
  }

  void add_joint(int i) {
    Link& link = links_[i];
    link.parent = random_.index(i);
    link.slides = random_.chance(0.3);
    std::string parent = "l" + std::to_string(link.parent), child = "l" + std::to_string(i), pose;
    Isometry3d child_frame = link.model, unused;
    const Isometry3d child_joint = pose_text(pose);
    link.joint = child_frame * child_joint;
    if (style_ == Style::frames_as_ends) {
      const std::string name = "f" + std::to_string(i);
      parent = frame_on(link.parent, name + "_parent", unused);
      // not through its own joint, which is given in it
      std::string frame_pose;
      child_frame = link.model * pose_text(frame_pose);
      body_ << "<frame name=\"" << name << "\" attached_to=\"" << child << "\"><pose>" << frame_pose
            << "</pose></frame>\n";
      child = name;
      link.joint = child_frame * child_joint;
    }
    const Eigen::Vector3d axis = Eigen::Vector3d(number(), number(), number()).normalized();
    Eigen::Matrix3d axes = link.joint.linear();
    std::string attribute, flag;
    if (style_ == Style::all_in_model) axes.setIdentity();
    if (style_ == Style::parent_model_frame && random_.chance(0.7)) {
      const bool in_model = random_.chance(0.5);
      flag = std::string("<use_parent_model_frame>") + (in_model ? "true" : "0") + "</use_parent_model_frame>";
      if (in_model) axes.setIdentity();
    }
    if (style_ == Style::expressed_in && random_.chance(0.7)) {
      const int other = random_.index(k_links + 1);
      attribute = other == k_links ? "__model__" : "l" + std::to_string(other);
      axes.setIdentity();
      if (other < k_links) axes = links_[other].model.linear();
      attribute = " expressed_in=\"" + attribute + "\"";
    }
    link.axis = axes * axis;
    body_ << "<joint name=\"j" << i << "\" type=\"" << (link.slides ? "prismatic" : "continuous") << "\"><pose>" << pose
          << "</pose><parent>" << parent << "</parent><child>" << child << "</child><axis><xyz" << attribute << ">"
          << joined(2.0 * axis) << "</xyz>" << flag << "</axis></joint>\n";
  }

  std::vector<Moved> motion(const Eigen::VectorXd& q) const {
    std::vector<Moved> all;
    for (int i = 0; i < k_links; ++i) {
      Isometry3d world_model = world_model_;
      if (i > 0) {
        const Link& link = links_[i];
        Isometry3d move = Isometry3d::Identity();
        if (link.slides) {
          move.translation() = q[i - 1] * link.axis;
        } else {
          const Eigen::Matrix3d R = Eigen::AngleAxisd(q[i - 1], link.axis).toRotationMatrix();
          move.linear() = R;
          move.translation() = link.joint.translation() - R * link.joint.translation();
        }
        world_model = all[link.parent].world_model * move;
      }
      all.push_back({&links_[i], world_model});
    }
    return all;
  }

  test::Random random_;
  Style style_;
  std::ostringstream body_;
  std::string placement_, text_;
  Isometry3d world_model_;
  std::vector<Link> links_;
};

class SdfJoint : public RobotImport {
 protected:
  void expect_as_specified(const std::string& version, WrittenModel::Style style) {
    for (unsigned seed = k_seed; seed < k_seed + 10; ++seed) {
      const WrittenModel written(seed, version, style);
      const ImportedRobot imported = import("m.sdf", written.text());
      const Model model(imported.robot);
      Data data(model);
      ASSERT_EQ(model.nv(), WrittenModel::k_links - 1);
      test::Random random(seed);
      VectorXd q(model.nv());  // of the links in the file's order
      VectorXd own = q;
      for (int i = 0; i < model.nv(); ++i) q[i] = random.uniform(-2.0, 2.0);
      std::vector<int> index;
      for (int i = 1; i < WrittenModel::k_links; ++i) index.push_back(link_of(model, "l" + std::to_string(i)).v);
      for (int i = 0; i < model.nv(); ++i) own[index[i]] = q[i];
      const auto& kinematics = forward_kinematics(model, data, own);
      const auto frames = written.links(q);
      for (int i = 0; i < WrittenModel::k_links; ++i) {
        const Pose pose = kinematics.pose(link_of(model, "l" + std::to_string(i)).tip);
        const Eigen::Matrix4d difference =
            frames[i].matrix() -
            (Eigen::Matrix4d() << to_eigen(pose.rotation), to_eigen(pose.position), Eigen::RowVector4d(0, 0, 0, 1))
                .finished();
        EXPECT_LT(difference.norm(), 1e-13) << "link " << i << ", seed " << seed << "\n" << written.text();
      }
      const auto [M, weight] = written.dynamics(q, to_eigen(imported.robot.gravity));
      const MatrixXd own_M = mass_matrix(model, data, own);
      const VectorXd zero = VectorXd::Zero(model.nv());
      const VectorXd tau = inverse_dynamics(model, data, own, zero, zero);
      for (int i = 0; i < model.nv(); ++i) {
        EXPECT_NEAR(tau[index[i]], -weight[i], 1e-12 * (1.0 + weight.norm())) << "seed " << seed;
        for (int k = 0; k < model.nv(); ++k) {
          EXPECT_NEAR(own_M(index[i], index[k]), M(i, k), 1e-12 * (1.0 + M.norm())) << "seed " << seed;
        }
      }
    }
  }
};

TEST_F(SdfJoint, AxesAreInTheFrameOfTheModelBefore15) {
  for (const char* const version : {"1.0", "1.3", "1.4"}) {
    expect_as_specified(version, WrittenModel::Style::all_in_model);
  }
}

TEST_F(SdfJoint, AxesAreInTheFrameOfTheModelIfTheySaySoBefore17) {
  for (const char* const version : {"1.5", "1.6"}) {
    expect_as_specified(version, WrittenModel::Style::parent_model_frame);
  }
}

TEST_F(SdfJoint, AxesAreInTheFrameThatTheyAreExpressedIn) {
  for (const char* const version : {"1.7", "1.9", "1.10", "1.12"}) {
    expect_as_specified(version, WrittenModel::Style::expressed_in);
  }
}

TEST_F(SdfJoint, EndsMayBeFrames) {
  for (const char* const version : {"1.8", "1.11"}) expect_as_specified(version, WrittenModel::Style::frames_as_ends);
}

// hinge at base * flange * (0, 0, 0.1), the tool's center of mass 0.15 m along its z, which leans by 1.2 rad
TEST_F(SdfJoint, AToolHangsOnAFlange) {
  const ImportedRobot imported = import("m.sdf", R"(<sdf version="1.9"><model name="mount">
    <frame name="flange" attached_to="base"><pose>0 0.2 0.5 0 1.2 0</pose></frame>
    <link name="base"><inertial><mass>2</mass></inertial></link>
    <link name="tool"><pose relative_to="grip"/>
      <inertial><pose>0 0 0.15 0 0 0</pose><mass>0.8</mass>
        <inertia><ixx>0.002</ixx><iyy>0.002</iyy><izz>0.001</izz></inertia></inertial></link>
    <frame name="grip" attached_to="base"><pose relative_to="flange">0 0 0.1 0 0 0</pose></frame>
    <joint name="fix" type="fixed"><parent>world</parent><child>base</child></joint>
    <joint name="wrist" type="revolute"><parent>flange</parent><child>tool</child><axis><xyz>0 1 0</xyz></axis></joint>
    </model></sdf>)");
  Robot robot = imported.robot;
  robot.gravity = {0.0, 0.0, -9.81};
  const Model model(robot);
  Data data(model);
  const VectorXd zero = VectorXd::Zero(1);
  EXPECT_NEAR(std::abs(inverse_dynamics(model, data, zero, zero, zero)[0]), 0.8 * 9.81 * 0.15 * std::sin(1.2), 1e-14);
  EXPECT_NEAR(mass_matrix(model, data, zero)(0, 0), 0.020, 1e-16);
  const Vector3 tool = forward_kinematics(model, data, zero).pose(link_of(model, "tool").tip).position;
  EXPECT_NEAR(norm(tool - Vector3{0.1 * std::sin(1.2), 0.2, 0.5 + 0.1 * std::cos(1.2)}), 0.0, 1e-15);
}

TEST_F(SdfJoint, EndsThatNobodyKnowsAreNamed) {
  const auto said_of = [&](const std::string& inside, const std::string& version = "1.9") {
    return said("m.sdf", "<sdf version=\"" + version + "\"><model name=\"m\"><link name=\"a\"/><link name=\"b\"/>\n" +
                             inside + "</model></sdf>");
  };
  const auto joint = [](const std::string& parent, const std::string& child, const std::string& axis = "") {
    return "<joint name=\"j\" type=\"revolute\"><parent>" + parent + "</parent><child>" + child + "</child>" + axis +
           "</joint>";
  };
  EXPECT_EQ(said_of(joint("c", "b")),
            "m.sdf:2:2: joint[j].parent: found 'c', which is no link and no frame, expected __model__, a, b, j or "
            "world");
  EXPECT_THAT(said_of(joint("a", "world")), HasSubstr("joint[j].child: found 'world', which is no link and no frame"));
  EXPECT_EQ(said_of(joint("f", "a") + "<frame name=\"f\" attached_to=\"a\"/>"),
            "m.sdf:2:2: joint[j]: found both ends on the link 'a', expected two different links");
  EXPECT_THAT(said_of(joint("f", "a") + "<frame name=\"f\" attached_to=\"g\"/><frame name=\"g\" attached_to=\"f\"/>"),
              HasSubstr("frame[f].attached_to: found 'g', which is attached to itself"));
  EXPECT_THAT(said_of(joint("f", "b") + "<frame name=\"f\" attached_to=\"j\"/>"),
              HasSubstr("joint[j]: found both ends on the link 'b'"));
  const std::string flag = "<axis><xyz>1 0 0</xyz><use_parent_model_frame>";
  const std::string end = "</use_parent_model_frame></axis>";
  EXPECT_THAT(said_of(joint("a", "b", flag + "1" + end), "1.7"),
              HasSubstr("joint[j].axis.use_parent_model_frame: found '1' in SDF 1.7, expected <xyz "
                        "expressed_in=\"__model__\">"));
  EXPECT_THAT(said_of(joint("a", "b", flag + "maybe" + end), "1.6"),
              HasSubstr("joint[j].axis.use_parent_model_frame: found 'maybe', expected true or false"));
  EXPECT_THAT(said_of(joint("a", "b"), "new"), HasSubstr("sdf.version: found 'new', expected a version, such as 1.9"));
}

// the canonical link is b; the model's frame moves with it
TEST_F(SdfJoint, TheFrameOfTheModelStandsForItsCanonicalLink) {
  const ImportedRobot imported = import("m.sdf", R"(<sdf version="1.8"><model name="m" canonical_link="b">
    <link name="a"><pose>0 0 1 0 0 0</pose></link><link name="b"/>
    <joint name="j" type="revolute"><parent>__model__</parent><child>a</child><axis><xyz>0 1 0</xyz></axis></joint>
    </model></sdf>)");
  EXPECT_EQ(imported.robot.links.at(1).name, "a");
  EXPECT_EQ(imported.robot.links.at(1).parent.link, "b");
}

// before SDF 1.7 `relative_to` was called `frame`; it is empty in the files of many programs
TEST_F(SdfJoint, PosesNameTheirFrameByTheEarlierName) {
  const std::string links =
      "<link name=\"a\"><pose frame=\"\">0 0 1 0 0 0</pose></link>"
      "<link name=\"b\"><pose frame=\"a\">0 0 1 0 0 0</pose></link></model></sdf>";
  const ImportedRobot imported = import("m.sdf", "<sdf version=\"1.6\"><model name=\"m\">" + links);
  EXPECT_EQ(imported.robot.links.at(1).parent.pose.position.z, 2.0);
  EXPECT_THAT(whats(imported), testing::IsEmpty());
  const ImportedRobot later = import("m.sdf", "<sdf version=\"1.7\"><model name=\"m\">" + links);
  EXPECT_EQ(later.robot.links.at(1).parent.pose.position.z, 1.0);
  EXPECT_THAT(whats(later), testing::ElementsAre("attribute frame of a pose: left out"));
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
