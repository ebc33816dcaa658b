// Texts of other programs, mutated at random: reading them ends in a robot or a mesh, or in an error that says where.
#include <array>
#include <functional>
#include <string>
#include <string_view>

#include "io/import/scene_mesh.h"
#include "io/import_support.h"

namespace cuttle::CUTTLE_FILE {
namespace {

constexpr unsigned k_seed = 20;
constexpr int k_mutations = 400;  // of each text

/// Changes a few places of a text: letters, words, parts that are missing or there twice.
class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string mutated(std::string text) {
    for (int changes = 1 + random_.index(3); changes > 0; --changes) change(text);
    return text;
  }

 private:
  static constexpr std::array<std::string_view, 18> k_words{
      "-1",         "0",   "1",      "1e308", "-1e308", "1e99", "nan",   "inf", "18446744073709551615",
      "4294967295", "0.5", "1e-320", "\"",    "",       "\xff", "&amp;", "x",   "2147483648"};

  std::size_t place(const std::string& text) {
    return static_cast<std::size_t>(random_.index(static_cast<int>(text.size())));
  }
  /// A word or number that begins at or behind a place.
  std::pair<std::size_t, std::size_t> word(const std::string& text) {
    const char* const ends = " \t\n<>\"=/[]{},:";
    const std::size_t begin = text.find_first_not_of(ends, place(text));
    if (begin == text.npos) return {0, 0};
    const std::size_t end = text.find_first_of(ends, begin);
    return {begin, (end == text.npos ? text.size() : end) - begin};
  }
  void change(std::string& text) {
    if (text.empty()) return;
    switch (random_.index(6)) {
      case 0:  // a letter by another one, now and then by one that no text has
        text[place(text)] = random_.chance(0.1) ? static_cast<char>(random_.index(256)) : text[place(text)];
        break;
      case 1: {  // a word by another word of the text
        const auto [from, size] = word(text);
        const auto [at, count] = word(text);
        text.replace(at, count, text.substr(from, size));
        break;
      }
      case 2:
      case 3: {  // a word by one that is hard to digest
        const auto [at, count] = word(text);
        text.replace(at, count, k_words[static_cast<std::size_t>(random_.index(static_cast<int>(k_words.size())))]);
        break;
      }
      case 4:  // some of it missing
        text.erase(place(text), 1 + static_cast<std::size_t>(random_.index(40)));
        break;
      default: {  // some of it twice
        const std::string part = text.substr(place(text), 1 + static_cast<std::size_t>(random_.index(60)));
        text.insert(place(text), part);
      }
    }
  }

  test::Random random_;
};

class HostileImport : public RobotImport {
 protected:
  /// @param read  of a text; may throw a FileError or a ModelError, and nothing else.
  static void expect_answers(const std::string& text, const std::function<void(const std::string&)>& read) {
    ASSERT_NO_THROW(read(text));
    Mutator mutator(k_seed);
    int accepted = 0, refused = 0;
    for (int i = 0; i < k_mutations; ++i) {
      const std::string mutated = mutator.mutated(text);
      try {
        read(mutated);
        ++accepted;
      } catch (const FileError&) {
        ++refused;
      } catch (const ModelError&) {
        ++refused;
      } catch (const std::exception& error) {
        ADD_FAILURE() << "seed " << k_seed << ", mutation " << i << ": " << error.what() << "\n" << mutated;
      }
    }
    EXPECT_GT(accepted, k_mutations / 50) << "else nothing behind the syntax is reached";
    EXPECT_GT(refused, k_mutations / 50);
  }
  void expect_robots(const std::string& name, const std::string& text) {
    expect_answers(text, [&](const std::string& mutated) { Model model(import(name, mutated).robot); });
  }
};

TEST_F(HostileImport, OfUrdf) { expect_robots("a.urdf", k_urdf); }

TEST_F(HostileImport, OfMjcf) {
  directory_.write(
      "part.xml",
      "<mujocoinclude><default><default class=\"big\"><geom size=\"0.3\"/></default></default></mujocoinclude>");
  expect_robots("a.xml",
                R"(<mujoco model="m"><compiler angle="radian" eulerseq="xyz" inertiagrouprange="0 3" boundmass="0.01"/>
  <include file="part.xml"/><option gravity="0 0 -9"/>
  <asset><mesh name="p" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 0 3 2 1 2 3"/><material name="red" rgba="1 0 0 1"/></asset>
  <worldbody><geom type="plane" size="1 1 1"/>
    <body name="a" pos="0 0 1" euler="0.1 0 0"><joint name="ja" range="-1 1" damping="0.1" stiffness="2" ref="0.1"/>
      <geom type="mesh" mesh="p" group="1" material="red"/><site name="s" pos="0.1 0 0"/>
      <frame pos="0 0 0.1" axisangle="0 1 0 0.3"><body name="b"><joint name="jb" type="slide" axis="1 0 0"/><joint name="jc"/>
        <geom class="big" type="capsule" size="0.1" fromto="0 0 0 0 0 1"/><site name="t"/></body></frame></body>
    <replicate count="2" offset="1 0 0"><body name="r"><joint type="ball"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></replicate>
    <body name="f"><freejoint/><geom size="0.1" mass="1"/></body></worldbody>
  <tendon><fixed name="t" stiffness="1"><joint joint="ja" coef="2"/><joint joint="jb" coef="-1"/></fixed>
    <spatial name="u"><site site="s"/><site site="t"/></spatial></tendon>
  <actuator><motor name="m1" joint="ja" gear="2"/><position name="m2" joint="jc" kp="3"/><general name="m3" tendon="u" gainprm="2"/></actuator>
  <equality><joint joint1="ja" joint2="jb" polycoef="0 1"/><connect body1="a" body2="f" anchor="0 0 0"/><weld body1="b"/></equality>
</mujoco>)");
}

TEST_F(HostileImport, OfSdf) {
  expect_robots("a.sdf",
                R"(<sdf version="1.9"><model name="arm" canonical_link="a" placement_frame="a"><pose>0 0 1 0 0 0</pose>
  <link name="a"><pose degrees="true">0.1 0.2 0 0 0 30</pose>
    <inertial><pose>0 0 0.1 0.2 0 0</pose><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.15</izz></inertia></inertial>
    <visual name="v"><material><diffuse>1 0 0</diffuse></material><geometry><box><size>1 2 3</size></box></geometry></visual></link>
  <link name="b"><pose relative_to="j">0 0.3 0 0.1 0 0</pose><inertial><mass>1</mass></inertial></link>
  <link name="c"><pose relative_to="b" rotation_format="quat_xyzw">0 0 1 0 0 0 1</pose></link>
  <joint name="root" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 1 0</xyz><dynamics><damping>0.4</damping><friction>1</friction></dynamics></axis></joint>
  <joint name="j" type="prismatic"><pose relative_to="a">0 0 0.5 0 0.3 0</pose><parent>a</parent><child>b</child>
    <axis><xyz expressed_in="__model__">1 0 0</xyz><limit><lower>-1</lower><upper>2</upper><effort>3</effort></limit></axis></joint>
  <joint name="k" type="ball"><parent>b</parent><child>c</child></joint>
  <frame name="f" attached_to="j"><pose>0 0 1 0 0 0</pose></frame><frame name="g" attached_to="f"/></model></sdf>)");
}

TEST_F(HostileImport, OfCollada) {
  expect_answers(R"(<COLLADA><asset><unit meter="0.01"/><up_axis>Y_UP</up_axis></asset>
  <library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="12">0 0 0 1 0 0 0 1 0 1 1 0</float_array></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <polylist count="2"><input semantic="NORMAL" source="#p" offset="0"/><input semantic="VERTEX" source="#v" offset="1"/>
      <vcount>4 3</vcount><p>0 0 0 1 0 3 0 2 0 0 0 1 0 2</p></polylist>
    <triangles><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 1 3 2</p></triangles>
    <polygons><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></polygons></mesh></geometry></library_geometries>
  <library_nodes><node id="n"><rotate>0 0 1 90</rotate><instance_geometry url="#g"/></node></library_nodes>
  <library_visual_scenes><visual_scene id="s"><node><translate>1 2 3</translate><scale>2 2 2</scale>
    <matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix><instance_geometry url="#g"/><instance_node url="#n"/></node></visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#s"/></scene></COLLADA>)",
                 [](const std::string& text) {
                   read_scene_mesh({"m.dae", text});
                 });
}

TEST_F(HostileImport, OfGltf) {
  expect_answers(R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
  "nodes": [{"mesh": 0, "translation": [1, 2, 3], "children": [1]}, {"mesh": 0, "rotation": [0, 0, 0, 1], "scale": [1, 1, 2]}],
  "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "mode": 4}, {"attributes": {"POSITION": 0}, "indices": 1}]}],
  "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "byteOffset": 0},
    {"bufferView": 1, "componentType": 5121, "count": 3, "type": "SCALAR"}],
  "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 36, "byteStride": 12}, {"buffer": 1, "byteLength": 3}],
  "buffers": [{"byteLength": 36, "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"},
    {"byteLength": 3, "uri": "data:application/octet-stream;base64,AAEC"}]})",
                 [](const std::string& text) {
                   read_scene_mesh({"m.gltf", text});
                 });
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
