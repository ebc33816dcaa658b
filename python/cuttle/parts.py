"""Parts of a robot as dataclasses, with the keys of a robot file (docs/format.md): made from its schema, not by hand.

    from cuttle.parts import CircleSection, Link, Material, RevoluteJoint, RobotFile, RodBody

    arm = RobotFile(
        name="arm",
        materials={"silicone": Material(density=1070, young_modulus=5e5)},
        links=[Link("finger", joint=RevoluteJoint(axis=[0, 1, 0]), body=RodBody(0.3, section=CircleSection(0.02), material="silicone", strain="pcc"))])
    robot = cuttle.Robot.from_dict(arm)

What is left out (None) has the default of the file. A part is a mapping of its keys too, and may stand beside dictionaries. What is wrong in
values is said when the robot is made, as of a file.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from ._compared import same


class Part(Mapping[str, Any]):
    """A part of a robot: the keys of a file that are given, as attributes and as a mapping."""

    _kind: ClassVar[tuple[str, str] | None] = None

    def __iter__(self) -> Iterator[str]:
        if self._kind is not None:
            yield self._kind[0]
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            if getattr(self, field.name) is not None:
                yield field.name.rstrip("_")

    def __getitem__(self, key: str) -> Any:
        if self._kind is not None and key == self._kind[0]:
            return self._kind[1]
        name = key + "_" if _is_reserved(key) else key
        value = getattr(self, name, None) if name in self.__dataclass_fields__ else None  # type: ignore[attr-defined]
        if value is None:
            raise KeyError(key)
        return value

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and same(dict(self), dict(other))

    __hash__ = None  # type: ignore[assignment]


def _is_reserved(key: str) -> bool:
    return key in {"from"}



@dataclasses.dataclass(eq=False)
class RobotFile(Part):
    """The keys of a whole robot file.

    name: Name of the robot.
    gravity: Acceleration of gravity in world axes. [m/s^2]
    base: What the first link hangs on. If missing: fixed, at the world's origin.
    materials: Materials by name. If missing: none.
    include: Robots of other programs' files, put in as if they stood here. If missing: none.
    links: The links, parents before children; at least one. If missing: those of include alone.
    actuators: Actuators; their inputs u come in this order. If missing: none.
    elements: What acts by a law of its own: springs between places, limits of joints. If missing: none.
    loads: Forces from outside. If missing: none.
    loops: Joints that close kinematic loops, between any two places. If missing: none.
    obstacles: Shapes of the world, that stand still or move. Without contacts they are only drawn. If missing:
        none.
    contacts: What touches what, and how. If missing: none.
    markers: Frames with a name, which results and programs know. If missing: none.
    sensors: What the robot measures, for results and controllers. If missing: none.
    visual: How to draw this part; the physics ignores it. If missing: nothing.
    """

    name: str | None = None
    gravity: Sequence[float] | None = None
    base: Mapping[str, Any] | None = None
    materials: Mapping[str, Any] | None = None
    include: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None
    links: Sequence[Mapping[str, Any]] | None = None
    actuators: Sequence[Mapping[str, Any]] | None = None
    elements: Sequence[Mapping[str, Any]] | None = None
    loads: Sequence[Mapping[str, Any]] | None = None
    loops: Sequence[Mapping[str, Any]] | None = None
    obstacles: Sequence[Mapping[str, Any]] | None = None
    contacts: Sequence[Mapping[str, Any]] | None = None
    markers: Sequence[Mapping[str, Any]] | None = None
    sensors: Sequence[Mapping[str, Any]] | None = None
    visual: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None


@dataclasses.dataclass(eq=False)
class Base(Part):
    """`Base` of a robot file.

    motion: Whether the base can move. A floating one has the coordinates [x, y, z, qw, qx, qy, qz], relative to
    pose; it has no mass of its own: fix a rigid body to it.
    pose: Base frame in the world; for a floating base, at its zero configuration. If missing: identity.
    visual: How to draw this part; the physics ignores it. If missing: nothing.
    """

    motion: str | None = None
    pose: Mapping[str, Any] | None = None
    visual: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None


@dataclasses.dataclass(eq=False)
class Pose(Part):
    """`Pose` of a robot file.

    position: Origin [x, y, z] in the frame that the pose is relative to. [m]
    rpy: Roll, pitch and yaw as in URDF: R = Rz(yaw) Ry(pitch) Rx(roll). [rad]
    quaternion: Orientation [w, x, y, z], instead of rpy. Its norm must be 1 within 1e-6.
    """

    position: Sequence[float] | None = None
    rpy: Sequence[float] | None = None
    quaternion: Sequence[float] | None = None


@dataclasses.dataclass(eq=False)
class BoxVisual(Part):
    """A box, centered at pose. `shape: box` of a robot file.

    size: Edges along x, y and z. [m]
    color: Name of a color, or red, green, blue and, if wanted, opacity. If missing: the viewer's choice.
    pose: Where to draw it, in the frame of the part. If missing: identity.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("shape", "box")
    size: Sequence[float]
    color: str | Sequence[float] | None = None
    pose: Mapping[str, Any] | None = None


@dataclasses.dataclass(eq=False)
class CylinderVisual(Part):
    """A cylinder along the z axis of pose, centered there. `shape: cylinder` of a robot file.

    radius: Radius. [m]
    length: Length along z. [m]
    color: Name of a color, or red, green, blue and, if wanted, opacity. If missing: the viewer's choice.
    pose: Where to draw it, in the frame of the part. If missing: identity.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("shape", "cylinder")
    radius: float
    length: float
    color: str | Sequence[float] | None = None
    pose: Mapping[str, Any] | None = None


@dataclasses.dataclass(eq=False)
class SphereVisual(Part):
    """A sphere, centered at pose. `shape: sphere` of a robot file.

    radius: Radius. [m]
    color: Name of a color, or red, green, blue and, if wanted, opacity. If missing: the viewer's choice.
    pose: Where to draw it, in the frame of the part. If missing: identity.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("shape", "sphere")
    radius: float
    color: str | Sequence[float] | None = None
    pose: Mapping[str, Any] | None = None


@dataclasses.dataclass(eq=False)
class MeshVisual(Part):
    """Triangles from a file. `shape: mesh` of a robot file.

    file: Mesh of triangles [m] in STL or OBJ. Its path is relative to this file.
    scale: Factor on the mesh, or one each for x, y and z.
    color: Name of a color, or red, green, blue and, if wanted, opacity. If missing: the viewer's choice.
    pose: Where to draw it, in the frame of the part. If missing: identity.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("shape", "mesh")
    file: str
    scale: float | Sequence[float] | None = None
    color: str | Sequence[float] | None = None
    pose: Mapping[str, Any] | None = None


@dataclasses.dataclass(eq=False)
class Material(Part):
    """`Material` of a robot file.

    model: linear: Linear elasticity: for rods. neo_hookean: Rubber; a rod uses it linearized. mooney_rivlin:
    Rubber, for volumes: rods refuse it. yeoh: Rubber, for volumes: rods refuse it. st_venant_kirchhoff: Linear in
    the Green-Lagrange strain, for volumes: rods refuse it.
    density: Mass per volume. [kg/m^3] If missing: not said; rods need it unless they give mass_per_length and
        rotary_inertia.
    young_modulus: Young's modulus E. [Pa] If missing: that of shear_modulus and poisson_ratio; else not said, and
        rods need it unless they give stiffness.
    poisson_ratio: Poisson's ratio nu; the shear modulus is E / (2 (1 + nu)). 0.5 means incompressible. If missing:
        0.5, or what both moduli say.
    shear_modulus: Shear modulus G, beside young_modulus (then nu = E / (2 G) - 1, so G is at least E / 3) or beside
        poisson_ratio (then E = 2 G (1 + nu)), not beside both. [Pa] If missing: E / (2 (1 + nu)).
    damping_time: Kelvin-Voigt damping: the damping is this time multiplied by the stiffness; of volumes by that
        against changes of shape, 2 mu. [s]
    viscosity: Damping by viscosity, instead of damping_time: viscosity diag(3 Ix, 3 Iy, Jt, A, A, 3 A) per length
        of a rod. [Pa s] If missing: none.
    c1: Energy density c1 (I1 - 3). A rod takes E = 6 c1 and Poisson's ratio 0.5. [Pa]
    lame_lambda: Resistance to changes of volume, for volumes; rods ignore it. [Pa] If missing: volume is preserved.
    c2: See c1. [Pa]
    c3: See c1. [Pa] If missing: 0.
    """

    model: str | None = None
    density: float | None = None
    young_modulus: float | None = None
    poisson_ratio: float | None = None
    shear_modulus: float | None = None
    damping_time: float | None = None
    viscosity: float | None = None
    c1: float | None = None
    lame_lambda: float | None = None
    c2: float | None = None
    c3: float | None = None


@dataclasses.dataclass(eq=False)
class Include(Part):
    """`Include` of a robot file.

    urdf: File of the robot in URDF, relative to this file. If missing: give mjcf or sdf.
    mjcf: The same in MuJoCo's MJCF. If missing: give urdf or sdf.
    sdf: The same in SDF, its rigid part. If missing: give urdf or mjcf.
    mount: What it hangs on, at its tip: base, a link of this file, or one of an include before.
    pose: Where it hangs, relative to that. If missing: identity.
    prefix: Stands before all of its names. If missing: nothing.
    package_root: Folder that holds the packages of package://, relative to this file. If missing: those of
        ROS_PACKAGE_PATH, and the folders around the file.
    """

    urdf: str | None = None
    mjcf: str | None = None
    sdf: str | None = None
    mount: str | None = None
    pose: Mapping[str, Any] | None = None
    prefix: str | None = None
    package_root: str | None = None


@dataclasses.dataclass(eq=False)
class Link(Part):
    """`Link` of a robot file.

    name: Unique name, without any of . / [ ]; base means the robot's base.
    parent: Link that this one hangs on, earlier in the file, or base. If missing: the link before; base for the
        first.
    attach: Where on the parent the joint sits. If missing: at its tip.
    joint: How it moves relative to the parent. If missing: fixed.
    body: What it is made of. If missing: none: no mass, and the tip frame is the base frame.
    contact: By which shapes it touches. Rods and volumes have their own surface; none takes it away. If missing: of
        rods and volumes their surface; of others none.
    visual: How to draw this part; the physics ignores it. If missing: nothing.
    """

    name: str
    parent: str | None = None
    attach: Mapping[str, Any] | None = None
    joint: Mapping[str, Any] | None = None
    body: Mapping[str, Any] | None = None
    contact: str | Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None
    visual: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None


@dataclasses.dataclass(eq=False)
class Attach(Part):
    """`Attach` of a robot file.

    at: Where on the parent: its base frame, its tip frame, or a section of a rod. On the robot's base it has no
    meaning.
    pose: Frame of the joint, relative to that place. If missing: identity.
    """

    at: str | Mapping[str, Any] | None = None
    pose: Mapping[str, Any] | None = None


@dataclasses.dataclass(eq=False)
class SectionOfARod(Part):
    """`SectionOfARod` of a robot file.

    s: Distance from the rod's base along its rest length, at most L. [m]
    """

    s: float


@dataclasses.dataclass(eq=False)
class FixedJoint(Part):
    """No motion. `type: fixed` of a robot file.

    visual: How to draw this part; the physics ignores it. If missing: nothing.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "fixed")
    visual: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None


@dataclasses.dataclass(eq=False)
class RevoluteJoint(Part):
    """Turns about axis: q = angle. `type: revolute` of a robot file.

    axis: Axis of the joint, of any length but 0.
    stiffness: Spring towards rest: a number, or one each coordinate. [N m/rad or N/m]
    damping: Viscous damping: a number, or one each coordinate. [N m s/rad or N s/m]
    armature: Inertia of rotors, added to the mass matrix's diagonal: a number, or one each coordinate. [kg m^2 or
        kg]
    rest: Coordinates where the spring is relaxed: a number, or one each. [rad or m]
    visual: How to draw this part; the physics ignores it. If missing: nothing.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "revolute")
    axis: Sequence[float] | None = None
    stiffness: float | Sequence[float] | None = None
    damping: float | Sequence[float] | None = None
    armature: float | Sequence[float] | None = None
    rest: float | Sequence[float] | None = None
    visual: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None


@dataclasses.dataclass(eq=False)
class PrismaticJoint(Part):
    """Slides along axis: q = displacement. `type: prismatic` of a robot file.

    axis: Axis of the joint, of any length but 0.
    stiffness: Spring towards rest: a number, or one each coordinate. [N m/rad or N/m]
    damping: Viscous damping: a number, or one each coordinate. [N m s/rad or N s/m]
    armature: Inertia of rotors, added to the mass matrix's diagonal: a number, or one each coordinate. [kg m^2 or
        kg]
    rest: Coordinates where the spring is relaxed: a number, or one each. [rad or m]
    visual: How to draw this part; the physics ignores it. If missing: nothing.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "prismatic")
    axis: Sequence[float] | None = None
    stiffness: float | Sequence[float] | None = None
    damping: float | Sequence[float] | None = None
    armature: float | Sequence[float] | None = None
    rest: float | Sequence[float] | None = None
    visual: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None


@dataclasses.dataclass(eq=False)
class CylindricalJoint(Part):
    """Turns about and slides along axis: q = [angle, displacement]. `type: cylindrical` of a robot file.

    axis: Axis of the joint, of any length but 0.
    stiffness: Spring towards rest: a number, or one each coordinate. [N m/rad or N/m]
    damping: Viscous damping: a number, or one each coordinate. [N m s/rad or N s/m]
    armature: Inertia of rotors, added to the mass matrix's diagonal: a number, or one each coordinate. [kg m^2 or
        kg]
    rest: Coordinates where the spring is relaxed: a number, or one each. [rad or m]
    visual: How to draw this part; the physics ignores it. If missing: nothing.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "cylindrical")
    axis: Sequence[float] | None = None
    stiffness: float | Sequence[float] | None = None
    damping: float | Sequence[float] | None = None
    armature: float | Sequence[float] | None = None
    rest: float | Sequence[float] | None = None
    visual: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None


@dataclasses.dataclass(eq=False)
class UniversalJoint(Part):
    """Turns about two axes: R = Rot(a1, q1) Rot(a2, q2). `type: universal` of a robot file.

    axes: First and second axis.
    stiffness: Spring towards rest: a number, or one each coordinate. [N m/rad or N/m]
    damping: Viscous damping: a number, or one each coordinate. [N m s/rad or N s/m]
    armature: Inertia of rotors, added to the mass matrix's diagonal: a number, or one each coordinate. [kg m^2 or
        kg]
    rest: Coordinates where the spring is relaxed: a number, or one each. [rad or m]
    visual: How to draw this part; the physics ignores it. If missing: nothing.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "universal")
    axes: Sequence[Sequence[float]] | None = None
    stiffness: float | Sequence[float] | None = None
    damping: float | Sequence[float] | None = None
    armature: float | Sequence[float] | None = None
    rest: float | Sequence[float] | None = None
    visual: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None


@dataclasses.dataclass(eq=False)
class SphericalJoint(Part):
    """Turns freely: q = quaternion [w, x, y, z], v = angular velocity in the link's axes. `type: spherical` of a robot
    file.

    stiffness: Spring towards rest: a number, or one each coordinate. [N m/rad or N/m]
    damping: Viscous damping: a number, or one each coordinate. [N m s/rad or N s/m]
    armature: Inertia of rotors, added to the mass matrix's diagonal: a number, or one each coordinate. [kg m^2 or
        kg]
    rest: Orientation [w, x, y, z] where the spring is relaxed.
    visual: How to draw this part; the physics ignores it. If missing: nothing.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "spherical")
    stiffness: float | Sequence[float] | None = None
    damping: float | Sequence[float] | None = None
    armature: float | Sequence[float] | None = None
    rest: Sequence[float] | None = None
    visual: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None


@dataclasses.dataclass(eq=False)
class PlanarJoint(Part):
    """Slides in the xy plane and turns about z: q = [x, y, angle]. `type: planar` of a robot file.

    stiffness: Spring towards rest: a number, or one each coordinate. [N m/rad or N/m]
    damping: Viscous damping: a number, or one each coordinate. [N m s/rad or N s/m]
    armature: Inertia of rotors, added to the mass matrix's diagonal: a number, or one each coordinate. [kg m^2 or
        kg]
    rest: Coordinates where the spring is relaxed: a number, or one each. [rad or m]
    visual: How to draw this part; the physics ignores it. If missing: nothing.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "planar")
    stiffness: float | Sequence[float] | None = None
    damping: float | Sequence[float] | None = None
    armature: float | Sequence[float] | None = None
    rest: float | Sequence[float] | None = None
    visual: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None


@dataclasses.dataclass(eq=False)
class FreeJoint(Part):
    """Moves freely: q = [x, y, z, qw, qx, qy, qz], v = angular and linear velocity in the link's axes. `type: free` of
    a robot file.

    stiffness: Spring towards rest: a number, or one each coordinate. [N m/rad or N/m]
    damping: Viscous damping: a number, or one each coordinate. [N m s/rad or N s/m]
    armature: Inertia of rotors, added to the mass matrix's diagonal: a number, or one each coordinate. [kg m^2 or
        kg]
    rest: Position [m] and quaternion where the spring is relaxed.
    visual: How to draw this part; the physics ignores it. If missing: nothing.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "free")
    stiffness: float | Sequence[float] | None = None
    damping: float | Sequence[float] | None = None
    armature: float | Sequence[float] | None = None
    rest: Sequence[float] | None = None
    visual: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None


@dataclasses.dataclass(eq=False)
class RigidBody(Part):
    """Does not deform. `type: rigid` of a robot file.

    mass: Mass. [kg]
    com: Center of mass in the base frame. [m]
    inertia: [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] about the center of mass in axes of the base frame; tensor elements as
        in URDF. [kg m^2] If missing: 0: a point mass.
    tip: Tip frame in the base frame: where the next link is attached. If missing: the base frame.
    visual: How to draw this part; the physics ignores it. If missing: nothing.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "rigid")
    mass: float
    com: Sequence[float] | None = None
    inertia: Sequence[float] | None = None
    tip: Mapping[str, Any] | None = None
    visual: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None


@dataclasses.dataclass(eq=False)
class RodBody(Part):
    """A Cosserat rod along its z axis. `type: rod` of a robot file.

    length: Length L at rest. [m]
    section: Shape of the cross-section; each of its sizes a number, [base, tip] or a list at equal spacing. If
        missing: needed, unless stiffness, mass_per_length and rotary_inertia are all given.
    material: Name of a material, or one of its own. If missing: needed, unless stiffness, mass_per_length and
        rotary_inertia are all given.
    quadrature: How finely the rod is computed; cuttle info tells whether it is enough. If missing: 10 points.
    strain: How the rod can deform: a shorthand, or a basis for each strain component that varies. If missing: no
        coordinates: the rod is rigid.
    pieces: Beside a shorthand of constant strain (pcc, planar_cc, pcs, kirchhoff): equal pieces of the rod, each
        with a strain of its own, as breaks of the basis piecewise that move with length. They are what the
        literature calls sections. If missing: one.
    rest_strain: Strain of the stress-free rod. If missing: straight.
    stiffness: Bending about x and y, torsion, shear along x and y, stretch; each a number, [base, tip] or a list at
        equal spacing. [N m^2, N] If missing: diag(E Ix, E Iy, G Jt, k G A, k G A, E A) of section and material,
        with k the shear_factor and Jt the torsion_constant.
    damping: Damping of the section by component, instead of that of the material: moments and forces for unit rates
        of the strains, in the order of stiffness; each a number, [base, tip] or a list at equal spacing. [N m^2 s,
        N s] If missing: that of the material.
    stiffening: Section stiffness as a polynomial of the strain, by component: at the strain e beyond rest the
        moment or force is (1 + c1 e + c2 e^2 + ..) times that of the stiffness at rest, which damping_time goes on
        multiplying. If missing: linear elasticity.
    mass_per_length: Mass per length. [kg/m] If missing: density times area.
    rotary_inertia: Rotary inertia per length about x, y and z. [kg m] If missing: density times Ix, Iy and Jz.
    shear_factor: Shear correction factor of the stiffness.
    torsion_constant: Jt of the torsional stiffness G Jt and of the damping by viscosity: that of a section that
        warps freely, of one that stays plane (Jz), or values of your own.
    hyperelastic: Stiffness that depends on the strain; replaces that of kappa_x, kappa_y and sigma_z in rods of
        constant strain. If missing: linear elasticity.
    visual: How to draw this part; the physics ignores it. If missing: nothing.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "rod")
    length: float
    section: Mapping[str, Any] | None = None
    material: str | Mapping[str, Any] | None = None
    quadrature: Mapping[str, Any] | None = None
    strain: str | Mapping[str, Any] | None = None
    pieces: int | None = None
    rest_strain: Mapping[str, Any] | None = None
    stiffness: Sequence[float | Sequence[float]] | None = None
    damping: Sequence[float | Sequence[float]] | None = None
    stiffening: Mapping[str, Any] | None = None
    mass_per_length: float | Sequence[float] | None = None
    rotary_inertia: Sequence[float | Sequence[float]] | None = None
    shear_factor: float | None = None
    torsion_constant: str | float | Sequence[float] | None = None
    hyperelastic: Mapping[str, Any] | None = None
    visual: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None


@dataclasses.dataclass(eq=False)
class VolumeBody(Part):
    """A soft volume of any kinematics, along its z axis. `type: volume` of a robot file.

    shape: Shape at rest.
    kinematics: How the points move.
    material: Name of a hyperelastic material, any but linear, or one of its own.
    quadrature: Which points all integrals use.
    tip: Material points (rest positions) that carry the tip frame, where the next link is attached. If missing:
        center and rim of the far end.
    visual: How to draw this part; the physics ignores it. If missing: nothing.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "volume")
    shape: Mapping[str, Any]
    kinematics: Mapping[str, Any]
    material: str | Mapping[str, Any]
    quadrature: Mapping[str, Any] | None = None
    tip: Mapping[str, Any] | None = None
    visual: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None


@dataclasses.dataclass(eq=False)
class ContinuumJointBody(Part):
    """An actuator that bends with constant curvature, its inertia lumped ([J]); rod with strain: {kappa_x: constant,
    kappa_y: constant} is its exact counterpart. `type: continuum_joint` of a robot file.

    length: Length L of the arc, which does not stretch. [m]
    mass: Mass, uniform along the arc. [kg]
    radius: Radius of the thin discs that it consists of. [m]
    stiffness: Spring towards the straight joint: a number, or one each coordinate. [N m/rad]
    coupling_stiffness: What couples the two springs, the entry K_xy of the stiffness matrix; its square is at most
        the product of the two of stiffness. [N m/rad]
    damping: Viscous damping: a number, or one each coordinate. [N m s/rad]
    momentarily_rigid: true: the inertial force as [J] prints it, (11)-(18), of a body that is rigid at each
        instant. It does not balance power; reading says so.
    visual: How to draw this part; the physics ignores it. If missing: nothing.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "continuum_joint")
    length: float
    mass: float
    radius: float
    stiffness: float | Sequence[float] | None = None
    coupling_stiffness: float | None = None
    damping: float | Sequence[float] | None = None
    momentarily_rigid: bool | None = None
    visual: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None


@dataclasses.dataclass(eq=False)
class CircleSection(Part):
    """Full circle. `shape: circle` of a robot file.

    radius: Radius. [m]
    """

    _kind: ClassVar[tuple[str, str] | None] = ("shape", "circle")
    radius: float | Sequence[float]


@dataclasses.dataclass(eq=False)
class AnnulusSection(Part):
    """Tube. `shape: annulus` of a robot file.

    radius: Outer radius. [m]
    inner_radius: Inner radius, below the outer one. [m]
    """

    _kind: ClassVar[tuple[str, str] | None] = ("shape", "annulus")
    radius: float | Sequence[float]
    inner_radius: float | Sequence[float]


@dataclasses.dataclass(eq=False)
class EllipseSection(Part):
    """Ellipse with its axes along x and y. `shape: ellipse` of a robot file.

    radius_x: Half axis along x. [m]
    radius_y: Half axis along y. [m]
    """

    _kind: ClassVar[tuple[str, str] | None] = ("shape", "ellipse")
    radius_x: float | Sequence[float]
    radius_y: float | Sequence[float]


@dataclasses.dataclass(eq=False)
class RectangleSection(Part):
    """Rectangle with its edges along x and y. `shape: rectangle` of a robot file.

    width: Edge along x. [m]
    height: Edge along y. [m]
    """

    _kind: ClassVar[tuple[str, str] | None] = ("shape", "rectangle")
    width: float | Sequence[float]
    height: float | Sequence[float]


@dataclasses.dataclass(eq=False)
class GeneralSection(Part):
    """Any shape, by its moments about the centroid. `shape: general` of a robot file.

    area: Area A. [m^2]
    Ix: Integral of y^2 over the section: bending about x. [m^4]
    Iy: Integral of x^2 over the section: bending about y. [m^4]
    Jz: Polar moment, for torsion and rotary inertia; it is Ix + Iy in the other shapes. [m^4]
    """

    _kind: ClassVar[tuple[str, str] | None] = ("shape", "general")
    area: float | Sequence[float]
    Ix: float | Sequence[float]
    Iy: float | Sequence[float]
    Jz: float | Sequence[float]


@dataclasses.dataclass(eq=False)
class RodQuadrature(Part):
    """`RodQuadrature` of a robot file.

    points: Gauss-Legendre points along the rod that all its integrals use; with a piecewise strain along each
    piece.
    """

    points: int | None = None


@dataclasses.dataclass(eq=False)
class KirchhoffStrain(Part):
    """`KirchhoffStrain` of a robot file.

    kirchhoff: One basis for kappa_x, kappa_y and kappa_z, and for nothing else: a rod without shear and stretch.
    """

    kirchhoff: str | Mapping[str, Any]


@dataclasses.dataclass(eq=False)
class Basis(Part):
    """`Basis` of a robot file.

    basis: constant: One constant function; constant alone says the same. monomial: 1, t, .., t^m. legendre:
    Legendre polynomials shifted to [0, 1]; the best conditioned. chebyshev: Chebyshev polynomials of the first kind
    shifted to [0, 1]. fourier: 1, sin 2 pi t, cos 2 pi t, .., cos 2 pi m t. gaussian: 1, and a bell at each center.
    hermite: Cubic Hermite splines. piecewise: Constant on each piece.
    order: Highest order m: m + 1 functions, for fourier 2 m + 1.
    centers: Where the bells are, from the rod's base. [m]
    widths: As many widths: exp(-((s - center) / width)^2). [m]
    nodes: Nodes at equal spacing; the coordinates are value and slope at each.
    breaks: Points inside the rod where the strain may jump; n breaks make n + 1 functions. [m]
    """

    basis: str
    order: int | None = None
    centers: float | Sequence[float] | None = None
    widths: float | Sequence[float] | None = None
    nodes: int | None = None
    breaks: float | Sequence[float] | None = None


@dataclasses.dataclass(eq=False)
class Strain(Part):
    """`Strain` of a robot file.

    kappa_x: Bending about x. If missing: keeps its rest value.
    kappa_y: Bending about y. If missing: keeps its rest value.
    kappa_z: Torsion. If missing: keeps its rest value.
    sigma_x: Shear along x. If missing: keeps its rest value.
    sigma_y: Shear along y. If missing: keeps its rest value.
    sigma_z: Stretch. If missing: keeps its rest value.
    """

    kappa_x: str | Mapping[str, Any] | None = None
    kappa_y: str | Mapping[str, Any] | None = None
    kappa_z: str | Mapping[str, Any] | None = None
    sigma_x: str | Mapping[str, Any] | None = None
    sigma_y: str | Mapping[str, Any] | None = None
    sigma_z: str | Mapping[str, Any] | None = None


@dataclasses.dataclass(eq=False)
class RestStrain(Part):
    """`RestStrain` of a robot file.

    kappa_x: Curvature about x. [1/m]
    kappa_y: Curvature about y. [1/m]
    kappa_z: Twist about z. [1/m]
    sigma_x: Shear along x.
    sigma_y: Shear along y.
    sigma_z: Stretch: length per rest length.
    """

    kappa_x: float | Sequence[float] | None = None
    kappa_y: float | Sequence[float] | None = None
    kappa_z: float | Sequence[float] | None = None
    sigma_x: float | Sequence[float] | None = None
    sigma_y: float | Sequence[float] | None = None
    sigma_z: float | Sequence[float] | None = None


@dataclasses.dataclass(eq=False)
class Stiffening(Part):
    """`Stiffening` of a robot file.

    kappa_x: c1, c2, .. [m^k] If missing: none: it stays as at rest.
    kappa_y: c1, c2, .. [m^k] If missing: none: it stays as at rest.
    kappa_z: c1, c2, .. [m^k] If missing: none: it stays as at rest.
    sigma_x: c1, c2, .. If missing: none: it stays as at rest.
    sigma_y: c1, c2, .. If missing: none: it stays as at rest.
    sigma_z: c1, c2, .. If missing: none: it stays as at rest.
    """

    kappa_x: Sequence[float] | None = None
    kappa_y: Sequence[float] | None = None
    kappa_z: Sequence[float] | None = None
    sigma_x: Sequence[float] | None = None
    sigma_y: Sequence[float] | None = None
    sigma_z: Sequence[float] | None = None


@dataclasses.dataclass(eq=False)
class Hyperelastic(Part):
    """`Hyperelastic` of a robot file.

    stretch: Stiffness k(e) [J] of the rod's elongation e = q_sz / L: [k0, k1, ..] is k0 + k1 e^2 + .. If missing:
    linear, from the material.
    bend: Stiffness k(b) [J/rad^2] of the bending angle b: [k0, k1, ..] is k0 + k1 b^2 + .. If missing: linear, from
        the material.
    """

    stretch: Sequence[float] | Mapping[str, Any] | None = None
    bend: Sequence[float] | Mapping[str, Any] | None = None


@dataclasses.dataclass(eq=False)
class TanhLaw(Part):
    """`TanhLaw` of a robot file.

    tanh: a1, a2 and a3 of the stiffness a1 + a2 tanh^2(a3 x).
    """

    tanh: Sequence[float]


@dataclasses.dataclass(eq=False)
class CylinderShape(Part):
    """Cylinder about z, hollow if it has an inner_radius. `type: cylinder` of a robot file.

    length: Length L at rest, along z from 0. [m]
    radius: Radius. [m]
    inner_radius: Radius of the bore, below radius. [m]
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "cylinder")
    length: float
    radius: float
    inner_radius: float | None = None


@dataclasses.dataclass(eq=False)
class BoxShape(Part):
    """Box along z. `type: box` of a robot file.

    size: [wx, wy, L]: edges along x and y, centered, and length along z from 0. [m]
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "box")
    size: Sequence[float]


@dataclasses.dataclass(eq=False)
class MeshShape(Part):
    """Tetrahedra from a file, all its volumes one body; physical groups of surfaces keep their names. `type: mesh` of
    a robot file.

    file: Mesh of Gmsh (MSH version 2.2 or 4.1, ASCII): 4-node or 10-node tetrahedra [m], all of one kind, z from 0
    to L. Its path is relative to this file.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "mesh")
    file: str


@dataclasses.dataclass(eq=False)
class LvpKinematics(Part):
    """A composition of primitives that keep the volume of every part. `type: lvp` of a robot file.

    primitives: The primitives, the one that acts first standing first; coordinates in this order.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "lvp")
    primitives: Sequence[Mapping[str, Any]]


@dataclasses.dataclass(eq=False)
class RitzKinematics(Part):
    """p = x + sum of phi_k(x) q_k with polynomials phi_k. `type: ritz` of a robot file.

    modes: The functions phi_k, each a list of terms that are added.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "ritz")
    modes: Sequence[Sequence[Mapping[str, Any]]]


@dataclasses.dataclass(eq=False)
class FemKinematics(Part):
    """p = x + sum of phi_k(x) q_k with the lowest vibration modes phi_k of a mesh that is clamped at z = 0, in each
    tetrahedron of degree 1 (4 nodes) or 2 (10 nodes); q_k is the greatest displacement of a node [m]. 4-node
    tetrahedra are too stiff in bending and near Poisson's ratio 0.5; cuttle check says by how much. For materials
    that resist changes of volume. The modes are computed when the file is read; they depend on the ratio of the
    material's moduli (its Poisson's ratio), and gradients with respect to parameters leave that out. Points beside
    the mesh, as those of the tip, follow the nearest point of it up to R away. `type: fem` of a robot file.

    modes: Number n of vibration modes, the lowest. If missing: none: full.
    full: true: instead of modes the displacements of all nodes but those at z = 0: statics and implicit steps with
        their derivatives, inverse statics, bdf and vibration modes take any number, all else up to 200 free nodes.
        Coordinates node<number>.x, .y, .z. If missing: no: modes.
    derivatives: Adds the static modal derivatives of all pairs of modes, up to n (n + 1) / 2 coordinates more: what
        large deflections do at second order, as the shortening of a bent beam. Without them (false) a beam that
        bends by 3 % of its length is already some 2 times too stiff; cuttle info says how much.
    attachments: Adds the static responses to unit loads where something acts on the body (attachment modes, after
        Craig and Bampton): it then gives way to small loads there as the whole mesh does. They have derivatives
        too: n counts them. If missing: vibration modes alone.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "fem")
    modes: int | None = None
    full: bool | None = None
    derivatives: bool | None = None
    attachments: Mapping[str, Any] | None = None


@dataclasses.dataclass(eq=False)
class RadialKinematics(Part):
    """A backbone of constant strain whose sections swell in bumps. `type: radial` of a robot file.

    strain: The backbone's strain that is free, constant along it: as a rod's with constant functions, q / L each;
    kappa_x, kappa_y, sigma_z in this order. If missing: none.
    bumps: Angles, from x towards y, of the middles of the bumps; the coordinates follow those of the strain. [rad]
        If missing: none.
    radius: Distance from the axis R0 where a bump moves points by b q; it grows in proportion to it. [m] If
        missing: the radius of the shape, of a box wx / 2.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "radial")
    strain: Mapping[str, Any] | None = None
    bumps: Sequence[float] | None = None
    radius: float | None = None


@dataclasses.dataclass(eq=False)
class NeuralKinematics(Part):
    """p = x + w N(x, q) with a network N. `type: neural` of a robot file.

    file: The network, in JSON. Its path is relative to this file.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "neural")
    file: str


@dataclasses.dataclass(eq=False)
class StretchPrimitive(Part):
    """z + e, sections shrink by sqrt(1 + de/dz). `type: stretch` of a robot file.

    modes: Modes of the elongation e = m [m]; their coordinates are in m.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "stretch")
    modes: Sequence[Sequence[float]]


@dataclasses.dataclass(eq=False)
class ShearPrimitive(Part):
    """Sections move along axis by m. `type: shear` of a robot file.

    axis: Which way the sections move.
    modes: Modes of the displacement m [m]; their coordinates are in m.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "shear")
    axis: str
    modes: Sequence[Sequence[float]]


@dataclasses.dataclass(eq=False)
class TwistPrimitive(Part):
    """Sections turn about z by m. `type: twist` of a robot file.

    modes: Modes of the angle m [rad]; their coordinates are in rad.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "twist")
    modes: Sequence[Sequence[float]]


@dataclasses.dataclass(eq=False)
class BendPrimitive(Part):
    """The axis gets the curvature (m_x, m_y) / L and keeps its length; sections stay normal to it. `type: bend` of a
    robot file.

    x: Modes of the bending about x; their coordinates are in rad. If missing: none.
    y: Modes of the bending about y, whose coordinates follow those about x. If missing: none.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "bend")
    x: Sequence[Sequence[float]] | None = None
    y: Sequence[Sequence[float]] | None = None


@dataclasses.dataclass(eq=False)
class SourcePrimitive(Part):
    """Distances r from the axis become sqrt(r^2 + c): inflates a bore. `type: source` of a robot file.

    modes: Modes of c = m [m^2]; their coordinates are in m^2.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "source")
    modes: Sequence[Sequence[float]]


@dataclasses.dataclass(eq=False)
class Term(Part):
    """`Term` of a robot file.

    powers: [i, j, k], exponents of x, y and z [m].
    vector: What x^i y^j z^k multiplies.
    """

    powers: Sequence[int]
    vector: Sequence[float]


@dataclasses.dataclass(eq=False)
class FemAttachments(Part):
    """`FemAttachments` of a robot file.

    tip: Unit forces and torques on the tip frame, which the next link hangs at: six modes.
    points: Points of the rest shape, three modes each: unit forces along x, y and z. Those of tendons and springs,
        and those at which links are attached.
    surfaces: Groups of the mesh around cavities, a mode each: unit pressure of a chamber.
    """

    tip: bool | None = None
    points: Sequence[Sequence[float]] | None = None
    surfaces: Sequence[str] | None = None


@dataclasses.dataclass(eq=False)
class BackboneStrain(Part):
    """`BackboneStrain` of a robot file.

    kappa_x: Bending about x, in rad. If missing: keeps its rest value.
    kappa_y: Bending about y, in rad. If missing: keeps its rest value.
    sigma_z: Elongation, in m. If missing: keeps its rest value.
    """

    kappa_x: str | None = None
    kappa_y: str | None = None
    sigma_z: str | None = None


@dataclasses.dataclass(eq=False)
class VolumeQuadrature(Part):
    """`VolumeQuadrature` of a robot file.

    points: Points that all integrals use: of a cylinder [nz, nr, nphi], Gauss-Legendre along z and in r^2, equal
    angles; of a box [nz, nx, ny], Gauss-Legendre along the edges. If missing: [10, 3, 8] of a cylinder, [10, 3, 3]
    of a box; a mesh has a rule instead.
    rule: Of a mesh: points of a tetrahedron that all integrals use: 14, exact for polynomials of degree 5, 4, of
        degree 2, or 1, its centroid, of degree 1 (not for fem with 10-node tetrahedra). If missing: 4; 14 of
        10-node tetrahedra, whose mass wants degree 4.
    reduce: A part of these points, chosen once, with weights of their own: much faster, with a known error (cuttle
        info says which; seconds the first time, then from the user's cache folder). Mass and center of mass stay
        exact, energy stays consistent with all forces, and the same points serve when numbers of the file are
        varied. The number is the error of all integrals over the body - inertial, elastic and damping forces,
        energy, moment of mass - relative to their usual size that this may make: 1e-2 to 1e-5. Where that takes
        more than half of the points, all are kept. If missing: all points.
    strain: Beside reduce: largest strain at a point up to which the body is looked at.
    """

    points: Sequence[int] | None = None
    rule: int | None = None
    reduce: float | None = None
    strain: float | None = None


@dataclasses.dataclass(eq=False)
class TipPoints(Part):
    """`TipPoints` of a robot file.

    origin: Point o, the frame's origin. [m] If missing: (0, 0, L).
    a: Point a: the x axis points from o to it. [m] If missing: on the rim: (R, 0, L), of a box (wx / 2, 0, L); R of
        a mesh is the largest radius.
    b: Point b: the z axis is normal to o, a and b. [m] If missing: on the rim: (0, R, L), of a box (0, wy / 2, L).
    """

    origin: Sequence[float] | None = None
    a: Sequence[float] | None = None
    b: Sequence[float] | None = None


@dataclasses.dataclass(eq=False)
class PlaneContactShape(Part):
    """All that lies below z = 0, without end. `shape: plane` of a robot file.

    pose: Of the shape, in the base frame of the link's body. If missing: identity.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("shape", "plane")
    pose: Mapping[str, Any] | None = None


@dataclasses.dataclass(eq=False)
class SphereContactShape(Part):
    """A sphere about the origin. `shape: sphere` of a robot file.

    radius: Radius. [m]
    pose: Of the shape, in the base frame of the link's body. If missing: identity.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("shape", "sphere")
    radius: float
    pose: Mapping[str, Any] | None = None


@dataclasses.dataclass(eq=False)
class CapsuleContactShape(Part):
    """A cylinder along z with half spheres as its ends, centered at the origin. `shape: capsule` of a robot file.

    radius: Radius. [m]
    length: Distance of the centers of its half spheres, along z. [m]
    pose: Of the shape, in the base frame of the link's body. If missing: identity.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("shape", "capsule")
    radius: float
    length: float
    pose: Mapping[str, Any] | None = None


@dataclasses.dataclass(eq=False)
class CylinderContactShape(Part):
    """A cylinder along z, centered at the origin. `shape: cylinder` of a robot file.

    radius: Radius. [m]
    length: Length along z. [m]
    open: Of an obstacle with inside: true: its ends are open, as those of a tube. Seen from within it is a bore
        through a plate as thick as its length.
    pose: Of the shape, in the base frame of the link's body. If missing: identity.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("shape", "cylinder")
    radius: float
    length: float
    open: bool | None = None
    pose: Mapping[str, Any] | None = None


@dataclasses.dataclass(eq=False)
class ConeContactShape(Part):
    """A cone along z, its apex at half its length above the origin, its base as far below. `shape: cone` of a robot
    file.

    angle: Angle between its axis and its side. [rad]
    length: Length along z, from its base to its apex. [m]
    pose: Of the shape, in the base frame of the link's body. If missing: identity.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("shape", "cone")
    angle: float
    length: float
    pose: Mapping[str, Any] | None = None


@dataclasses.dataclass(eq=False)
class BoxContactShape(Part):
    """A box about the origin. `shape: box` of a robot file.

    size: Edges along x, y and z. [m]
    pose: Of the shape, in the base frame of the link's body. If missing: identity.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("shape", "box")
    size: Sequence[float]
    pose: Mapping[str, Any] | None = None


@dataclasses.dataclass(eq=False)
class HeightFieldContactShape(Part):
    """All that lies below a smooth surface through heights on a regular grid: uneven ground. `shape: height_field` of
    a robot file.

    grid: Heights z: rows along y, in each the heights along x, all equally many and at least two each way. The grid
    is about the origin; beyond its border the heights there go on.
    cell: Distances of neighbors along x and along y. [m]
    pose: Of the shape, in the base frame of the link's body. If missing: identity.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("shape", "height_field")
    grid: Sequence[Sequence[float]]
    cell: Sequence[float]
    pose: Mapping[str, Any] | None = None


@dataclasses.dataclass(eq=False)
class MeshContactShape(Part):
    """A surface of triangles from a file. `shape: mesh` of a robot file.

    file: Mesh of triangles [m] in STL or OBJ. Its path is relative to this file.
    scale: Factor on the mesh, or one each for x, y and z.
    sides: two: the mesh is closed. one: it may be open, and is touched from the side from which its triangles are
        seen counterclockwise; with inside: true from the other. What is nearest to its border is outside.
    pose: Of the shape, in the base frame of the link's body. If missing: identity.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("shape", "mesh")
    file: str
    scale: float | Sequence[float] | None = None
    sides: str | None = None
    pose: Mapping[str, Any] | None = None


@dataclasses.dataclass(eq=False)
class SmoothMeshContactShape(Part):
    """A smooth surface beside that of a mesh, through a grid of distances: for grooves, bores and round bodies, whose
    facets are not meant. `shape: smooth_mesh` of a robot file.

    file: Mesh of triangles [m] in STL or OBJ. Its path is relative to this file.
    cell: Distance of neighbors in the grid: about what the smooth surface rounds off. [m]
    scale: Factor on the mesh, or one each for x, y and z.
    pose: Of the shape, in the base frame of the link's body. If missing: identity.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("shape", "smooth_mesh")
    file: str
    cell: float
    scale: float | Sequence[float] | None = None
    pose: Mapping[str, Any] | None = None


@dataclasses.dataclass(eq=False)
class JointActuator(Part):
    """Force or torque [N m, N] on one coordinate of a joint. `type: joint` of a robot file.

    name: Unique name; scenarios and results use it.
    link: Link whose joint it drives.
    index: Which coordinate of that joint, from 0.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "joint")
    name: str
    link: str
    index: int | None = None


@dataclasses.dataclass(eq=False)
class LinearActuator(Part):
    """Generalized force matrix u on the coordinates of some links; the actuation coordinates are y = matrix^T q.
    `type: linear` of a robot file.

    name: Unique name; the inputs are NAME.0, NAME.1, ..
    links: Links whose coordinates, in this order, are the rows of matrix.
    matrix: One row each coordinate, one column each input.
    lag: Time constant of valves: what acts, x, follows the input by lag dx/dt = u - x, from 0 when a simulation
        begins. Results have it as elements/NAME. [s] If missing: none: what acts is the input.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "linear")
    name: str
    links: Sequence[str]
    matrix: Sequence[Sequence[float]]
    lag: float | None = None


@dataclasses.dataclass(eq=False)
class TendonActuator(Part):
    """A tendon along rods, through volumes and links that do not deform, under tension u [N] or wound by u [m]; y =
    l(0) - l(q), how much it is shorter than in the neutral configuration. One that is wound has its tension in
    results, as output tension [N]. `type: tendon` of a robot file.

    name: Unique name; scenarios and results use it.
    routing: What it runs along, in this order; straight between the end of one and the start of the next.
    drive: What its input u is: the tension [N], or how much of it is wound [m]. Wound, its tension is T =
        pretension + stiffness (u - y), and 0 where that is below: it goes slack. It is exactly T above range and
        exactly 0 below -range; in between it is (T + range)^2 / (4 range), so that nothing jumps.
    slack: What a tension u below 0 means: a mistake, no tension, or a tendon that pushes. Driven by length it has
        none below 0. If missing: error, with drive: tension.
    stiffness: With drive: length, and required there: of the tendon with what winds it. [N/m] If missing: none.
    pretension: With drive: length: its tension at u = 0 in the neutral configuration; below 0, as much slack. [N]
        If missing: 0 there.
    range: With drive: length: within it of 0 the tension is rounded. [N] If missing: 0.01 there.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "tendon")
    name: str
    routing: Sequence[Mapping[str, Any]]
    drive: str | None = None
    slack: str | None = None
    stiffness: float | None = None
    pretension: float | None = None
    range: float | None = None


@dataclasses.dataclass(eq=False)
class ChamberActuator(Part):
    """A chamber in a rod or a volume, under the pressure difference u [Pa] to the atmosphere; y is its volume. `type:
    chamber` of a robot file.

    name: Unique name; scenarios and results use it.
    link: Link with the rod or the volume that it lies in.
    offset: Along a rod: its axis in the cross-sections, [x, y], from base to tip. [m] If missing: [0, 0] along a
        rod.
    area: Along a rod: area of its cross-section. [m^2] If missing: give surface.
    surface: In a volume: inner, the bore of a hollow cylinder, its ends closed by flat fans; the name of a surface
        of a mesh (a physical group of triangles around a cavity), its openings closed likewise; or a pocket all
        along a cylinder, its ends included. If missing: give area.
    lag: Time constant of valves: what acts, x, follows the input by lag dx/dt = u - x, from 0 when a simulation
        begins. Results have it as elements/NAME. [s] If missing: none: what acts is the input.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "chamber")
    name: str
    link: str
    offset: Sequence[float] | None = None
    area: float | None = None
    surface: str | Mapping[str, Any] | None = None
    lag: float | None = None


@dataclasses.dataclass(eq=False)
class WrenchActuator(Part):
    """Torque and force at a place, six inputs: propellers, a hand. They turn no coordinate into a number: y is 0.
    `type: wrench` of a robot file.

    name: Unique name; the inputs are NAME.tx, .ty, .tz, .fx, .fy, .fz.
    link: Link that it acts on.
    at: Where: its base frame, its tip frame, or a place on it.
    frame: Axes of torque and force: of the place, or of the world.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "wrench")
    name: str
    link: str
    at: str | Mapping[str, Any] | None = None
    frame: str | None = None


@dataclasses.dataclass(eq=False)
class DistanceActuator(Part):
    """A force u [N] that pulls two places towards each other, along the line through them: a linear motor, a cylinder;
    y = l(0) - l(q), how much shorter it is than in the neutral configuration. `type: distance` of a robot file.

    name: Unique name; scenarios and results use it.
    a: Origin of this frame: one end.
    b: Origin of this frame: the other end, which can move against that.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "distance")
    name: str
    a: Mapping[str, Any]
    b: Mapping[str, Any]


@dataclasses.dataclass(eq=False)
class Routing(Part):
    """`Routing` of a robot file.

    link: Link that it runs along or through; base is the robot's base.
    offset: Along a rod: where it lies in the cross-sections, in their axes. One pair: parallel to the rod's axis; a
        list: at equal spacing, straight in between; or a helix. If missing: give points.
    from_: Along a rod: where it begins, as s. [m] If missing: 0, the rod's base.
    to: Where it ends; before from, if it runs towards the rod's base. [m] If missing: L, the rod's length.
    points: On a volume: material points (rest positions) that it runs straight between; on a link that does not
        deform: corners. In its base frame. If missing: give offset.
    """

    link: str
    offset: Sequence[float] | Sequence[Sequence[float]] | Mapping[str, Any] | None = None
    from_: float | None = None
    to: float | None = None
    points: Sequence[Sequence[float]] | None = None


@dataclasses.dataclass(eq=False)
class HelicalOffset(Part):
    """`HelicalOffset` of a robot file.

    helix: The helix.
    """

    helix: Mapping[str, Any]


@dataclasses.dataclass(eq=False)
class Helix(Part):
    """`Helix` of a robot file.

    radius: Distance from the rod's axis. [m]
    turns: Turns from from to to, positive from x towards y; need not be whole.
    phase: Angle from x towards y where it begins. [rad]
    """

    radius: float
    turns: float
    phase: float | None = None


@dataclasses.dataclass(eq=False)
class PocketSurface(Part):
    """`PocketSurface` of a robot file.

    pocket: The pocket.
    """

    pocket: Mapping[str, Any]


@dataclasses.dataclass(eq=False)
class Pocket(Part):
    """`Pocket` of a robot file.

    angle: Angle of its middle, from x towards y. [rad]
    width: How far it reaches around the axis, half of it on either side of angle. [rad]
    radius: How far it reaches from the axis, at most the cylinder's radius. [m]
    """

    angle: float
    width: float
    radius: float


@dataclasses.dataclass(eq=False)
class Place(Part):
    """`Place` of a robot file.

    s: On a rod: distance from its base along its rest length, at most L. [m] If missing: give point.
    point: On a rigid body: [x, y, z] in its base frame. On a volume: the material point that is there at rest; its
        axes turn with the material. [m] If missing: give s.
    """

    s: float | None = None
    point: Sequence[float] | None = None


@dataclasses.dataclass(eq=False)
class FrameOfALoop(Part):
    """`FrameOfALoop` of a robot file.

    link: Link that it is on; base is the robot's base.
    at: Where: its base frame, its tip frame, or a place on it.
    pose: The frame, relative to that place. If missing: identity.
    """

    link: str
    at: str | Mapping[str, Any] | None = None
    pose: Mapping[str, Any] | None = None


@dataclasses.dataclass(eq=False)
class SpringElement(Part):
    """A spring and a damper between two places, along the line through them. Outputs: force [N] with which it pulls
    them together, length [m]. `type: spring` of a robot file.

    name: Unique name, also among actuators; results use it.
    a: Origin of this frame: one end.
    b: Origin of this frame: the other end, which can move against that.
    stiffness: Pull for each meter that it is longer. [N/m]
    damping: Pull for each m/s at which it gets longer. [N s/m]
    rest_length: Length without force. [m] If missing: the distance of a and b in the neutral configuration.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "spring")
    name: str
    a: Mapping[str, Any]
    b: Mapping[str, Any]
    stiffness: float
    damping: float | None = None
    rest_length: float | None = None


@dataclasses.dataclass(eq=False)
class JointLimitElement(Part):
    """A limit on both sides of one coordinate of a joint: stiff, damped and smooth. Output: effort, with which it
    pushes the coordinate up. `type: joint_limit` of a robot file.

    name: Unique name, also among actuators; results use it.
    link: Link whose joint it limits.
    lower: It pushes below this. [rad, m]
    upper: It pushes above this. [rad, m]
    stiffness: Of the spring beyond a limit. [N m/rad, N/m]
    range: Way beyond a limit over which both grow evenly to their full values, so that the force has no corner.
        [rad, m]
    index: Which coordinate of that joint, from 0.
    damping: Of the damper beyond a limit. [N m s/rad, N s/m]
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "joint_limit")
    name: str
    link: str
    lower: float
    upper: float
    stiffness: float
    range: float
    index: int | None = None
    damping: float | None = None


@dataclasses.dataclass(eq=False)
class JointFrictionElement(Part):
    """Dry (Coulomb) friction on one coordinate of a joint, regularised; what it takes is dissipated. Output: effort,
    with which it pushes the coordinate up. `type: joint_friction` of a robot file.

    name: Unique name, also among actuators; results use it.
    link: Link whose joint rubs.
    friction: While the joint slides. [N m, N]
    velocity: Range of the regularisation: friction grows with the rate v as tanh(v / velocity), to 76 % at velocity
        and 99.5 % at three times that. A joint that should stick creeps, below friction / 2 slower than 0.55
        velocity: make it small beside the speeds that matter. [rad/s, m/s]
    index: Which coordinate of that joint, from 0.
    stiction: Friction where sliding begins, at least friction: Stribeck's curve. It falls to friction by exp(-(v /
        stribeck_velocity)^2). [N m, N] If missing: friction.
    stribeck_velocity: Over which stiction falls; above velocity. [rad/s, m/s] If missing: none; stiction needs it.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "joint_friction")
    name: str
    link: str
    friction: float
    velocity: float
    index: int | None = None
    stiction: float | None = None
    stribeck_velocity: float | None = None


@dataclasses.dataclass(eq=False)
class CouplingElement(Part):
    """A spring and a damper on a sum of coordinates y, for joints that follow others, gears and servos. Output:
    effort, with which it pushes y up. `type: coupling` of a robot file.

    name: Unique name, also among actuators; results use it.
    links: Links whose coordinates, in this order, factors multiplies.
    factors: One each coordinate: y is the sum of their products.
    stiffness: Effort on y for each unit that it is beyond rest; N m/rad if y is an angle.
    rest: Where y is without force.
    damping: Effort on y for each unit of its rate; N m s/rad if y is an angle.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "coupling")
    name: str
    links: Sequence[str]
    factors: Sequence[float]
    stiffness: float
    rest: float | None = None
    damping: float | None = None


@dataclasses.dataclass(eq=False)
class PlayElement(Part):
    """Play (backlash) in a sum of coordinates y: of a loose joint, factors: [1]; between a motor and the joint that it
    drives, a gear with play. Output: effort, with which it pushes y up. `type: play` of a robot file.

    name: Unique name, also among actuators; results use it.
    links: Links whose coordinates, in this order, factors multiplies.
    factors: One each coordinate: y is the sum of their products.
    gap: Play: nothing acts while y is within gap / 2 of rest.
    stiffness: Effort on y for each unit that it is beyond the gap; N m/rad if y is an angle.
    range: Way beyond the gap over which both grow evenly to their full values, so that the effort has no corner.
    rest: Middle of the gap.
    damping: There, effort on y for each unit of its rate; N m s/rad if y is an angle.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "play")
    name: str
    links: Sequence[str]
    factors: Sequence[float]
    gap: float
    stiffness: float
    range: float
    rest: float | None = None
    damping: float | None = None


@dataclasses.dataclass(eq=False)
class TendonFrictionElement(Part):
    """Friction of tendons in what leads them (capstan equation), driven by tension or by length: along rods, at
    points, and where they leave a rod or enter one. What it takes counts as dissipated. Output: one a tendon, by
    its name, its tension in the last part that moves: a straight one, or the end of its way along a rod [N]. `type:
    tendon_friction` of a robot file.

    name: Unique name, also among actuators; results use it.
    actuators: Tendons that it acts on: actuators of type tendon.
    coefficient: mu: where the tendon turns by the angle theta, its tension falls by the factor exp(-mu theta) away
        from where it is pulled while it slides there, and rises by exp(mu theta) while it slides back.
    sliding: Which way a tendon at rest slid before, so in statics: towards where it is pulled, back, or neither,
        and then it has no friction at rest.
    range: Sliding velocity over which the direction changes smoothly: between -range and range with sliding: none,
        between -2 range and 0 with pulled, 0 and 2 range with released. [m/s]
    pulled_at: The end of its routing that it is pulled at.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "tendon_friction")
    name: str
    actuators: Sequence[str]
    coefficient: float
    sliding: str | None = None
    range: float | None = None
    pulled_at: str | None = None


@dataclasses.dataclass(eq=False)
class WrenchLoad(Part):
    """Force and torque at a place. `type: wrench` of a robot file.

    link: Link that it acts on; base is the robot's base.
    at: Where: its base frame, its tip frame, or a place on it.
    force: Force at that place. [N]
    torque: Torque. [N m]
    frame: Axes of force and torque: fixed in the world, or following the body.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "wrench")
    link: str
    at: str | Mapping[str, Any] | None = None
    force: Sequence[float | Mapping[str, Any]] | None = None
    torque: Sequence[float | Mapping[str, Any]] | None = None
    frame: str | None = None


@dataclasses.dataclass(eq=False)
class DistributedLoad(Part):
    """Force and torque per length along a rod. `type: distributed` of a robot file.

    link: Link with a rod.
    force: Force per length. [N/m]
    torque: Torque per length. [N]
    frame: Axes of force and torque: fixed in the world, or following the body.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "distributed")
    link: str
    force: Sequence[float | Mapping[str, Any]] | None = None
    torque: Sequence[float | Mapping[str, Any]] | None = None
    frame: str | None = None


@dataclasses.dataclass(eq=False)
class FluidLoad(Part):
    """Water around a slender link: added mass and wake after Lighthill's large-amplitude elongated-body theory, and
    quadratic drag. No buoyancy: for a robot as heavy as water set gravity to zero. `type: fluid` of a robot file.

    link: Link with a rod or a rigid body; the water reaches along its z axis, for swimmers from head to tail.
    density: Density of the fluid, which is at rest. [kg/m^3]
    radius_x: Half axis along x of the outline, an ellipse at each section: a number, [base, tip] or a list at equal
        spacing. Give both half axes or none. [m] If missing: that of the rod's circle, annulus or ellipse; else
        needed.
    radius_y: Half axis along y. [m] If missing: that of the rod's circle, annulus or ellipse; else needed.
    length: Of a rigid link: length of the outline along z from its base frame. [m] If missing: that of the rod; a
        rigid link needs it.
    points: Of a rigid link: Gauss-Legendre points along it. If missing: 10; a rod has its own.
    normal_drag: Coefficient C of the drag across the link: per length 1/2 density C (2 radius) speed times
        velocity, along x and along y, the half axis of the other one being the radius.
    tangential_drag: Coefficient C of the drag along the link: per length 1/2 density C (perimeter) speed times
        velocity.
    wake: Whether the water leaves the link at its tip with the momentum that it got, as at the tail of a swimmer:
        thrust. false: added mass and drag alone, as on an arm under water, or on each but the last link of a
        swimmer.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "fluid")
    link: str
    density: float
    radius_x: float | Sequence[float] | None = None
    radius_y: float | Sequence[float] | None = None
    length: float | None = None
    points: int | None = None
    normal_drag: float | None = None
    tangential_drag: float | None = None
    wake: bool | None = None


@dataclasses.dataclass(eq=False)
class DroneLoad(Part):
    """A force and a torque that make a place follow a desired velocity: proportional error + integral (error dt), [B]
    (68). `type: drone` of a robot file.

    link: Link that it moves.
    proportional: Gains on the error of the velocity: one for the torque and one for the force, or one for each of
        the components, in the axes of the place. [N m s/rad, N s/m]
    at: Where: its base frame, its tip frame, or a place on it.
    angular_velocity: Desired angular velocity of the place, in axes that rpy or quaternion turns. [rad/s]
    linear_velocity: Desired velocity of the place, in the same axes. [m/s]
    rpy: Axes of the desired velocity in the world: roll, pitch and yaw as of a pose. [rad]
    quaternion: The same as [w, x, y, z], instead of rpy.
    integral: Gains on the integral of that error since time 0. [N m/rad, N/m]
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "drone")
    link: str
    proportional: Sequence[float]
    at: str | Mapping[str, Any] | None = None
    angular_velocity: Sequence[float | Mapping[str, Any]] | None = None
    linear_velocity: Sequence[float | Mapping[str, Any]] | None = None
    rpy: Sequence[float] | None = None
    quaternion: Sequence[float] | None = None
    integral: Sequence[float] | None = None


@dataclasses.dataclass(eq=False)
class MassDampingLoad(Part):
    """Damping proportional to mass, the term of Rayleigh's damping beside that of the material. It brakes rigid
    motions too, as a thin medium at rest would. What it takes is dissipated. `type: mass_damping` of a robot file.

    link: Link with a rod or a rigid body.
    rate: alpha of Rayleigh's damping force -alpha M v: all mass of the body is held back by rate times its velocity
        in the world, rotary inertia too. A mode of the frequency omega [rad/s] of a robot of which all is damped so
        gets the damping ratio rate / (2 omega). [1/s]
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "mass_damping")
    link: str
    rate: float


@dataclasses.dataclass(eq=False)
class StepSignal(Part):
    """Jumps once. `type: step` of a robot file.

    time: When the value jumps. [s]
    after: Value from that time on.
    before: Value before that time.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "step")
    time: float
    after: float
    before: float | None = None


@dataclasses.dataclass(eq=False)
class RampSignal(Part):
    """Changes linearly between two times and is constant outside them. `type: ramp` of a robot file.

    start: When the ramp begins. [s]
    end: When it ends, after start. [s]
    to: Value from end on.
    from_: Value up to start.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "ramp")
    start: float
    end: float
    to: float
    from_: float | None = None


@dataclasses.dataclass(eq=False)
class SineSignal(Part):
    """offset + amplitude sin(2 pi frequency t + phase). `type: sine` of a robot file.

    amplitude: Half of what lies between crests and troughs.
    frequency: Periods per second. [Hz]
    phase: Angle at time 0. [rad]
    offset: Value that it swings about.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "sine")
    amplitude: float
    frequency: float
    phase: float | None = None
    offset: float | None = None


@dataclasses.dataclass(eq=False)
class PointsSignal(Part):
    """Passes through given points. `type: points` of a robot file.

    time: Times, increasing. [s]
    value: As many values: linear in between, held before the first and after the last.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "points")
    time: Sequence[float]
    value: Sequence[float]


@dataclasses.dataclass(eq=False)
class TableSignal(Part):
    """Comes from a column of a CSV file. `type: table` of a robot file.

    file: CSV file with a line of names and a column time [s], relative to the file that names it.
    column: Name of the column with the values.
    hold: true: each value holds until the next time; false: as interpolation says.
    interpolation: Between two times: a straight line, the value before, or the natural cubic spline through all
        rows, which is twice differentiable.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "table")
    file: str
    column: str
    hold: bool | None = None
    interpolation: str | None = None


@dataclasses.dataclass(eq=False)
class CubicSignal(Part):
    """From rest to rest: 3 s^2 - 2 s^3 of the way, s = (t - start)/(end - start). `type: cubic` of a robot file.

    start: When the way begins. [s]
    end: When it ends, after start. [s]
    to: Value from end on.
    from_: Value up to start.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "cubic")
    start: float
    end: float
    to: float
    from_: float | None = None


@dataclasses.dataclass(eq=False)
class QuinticSignal(Part):
    """From rest to rest without a jump of acceleration: 10 s^3 - 15 s^4 + 6 s^5 of the way. `type: quintic` of a robot
    file.

    start: When the way begins. [s]
    end: When it ends, after start. [s]
    to: Value from end on.
    from_: Value up to start.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "quintic")
    start: float
    end: float
    to: float
    from_: float | None = None


@dataclasses.dataclass(eq=False)
class MinimumJerkSignal(Part):
    """From rest to rest with the least integral of the jerk's square, which is the quintic way. `type: minimum_jerk`
    of a robot file.

    start: When the way begins. [s]
    end: When it ends, after start. [s]
    to: Value from end on.
    from_: Value up to start.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "minimum_jerk")
    start: float
    end: float
    to: float
    from_: float | None = None


@dataclasses.dataclass(eq=False)
class SplineSignal(Part):
    """Passes through given points, twice differentiable: the natural cubic spline. `type: spline` of a robot file.

    time: Times, increasing. [s]
    value: As many values, held before the first and after the last.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "spline")
    time: Sequence[float]
    value: Sequence[float]


@dataclasses.dataclass(eq=False)
class StepsSignal(Part):
    """Jumps from value to value. `type: steps` of a robot file.

    times: When the value jumps, increasing. [s]
    values: One value more: that before the first time, and from each time on.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "steps")
    times: Sequence[float]
    values: Sequence[float]


@dataclasses.dataclass(eq=False)
class FixedLoop(Part):
    """Frames a and b are one: no motion between them. `type: fixed` of a robot file.

    name: Unique name; results use it.
    a: Frame a: a place on the robot.
    b: Frame b: another place, which can move against a.
    drive: Moves frame a as driven motion: its pose in time, relative to where a puts it. If missing: it stays where
        it is.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "fixed")
    name: str
    a: Mapping[str, Any]
    b: Mapping[str, Any]
    drive: Mapping[str, Any] | None = None


@dataclasses.dataclass(eq=False)
class RevoluteLoop(Part):
    """b turns about axis in a, its origin where a's is. `type: revolute` of a robot file.

    name: Unique name; results use it.
    a: Frame a: a place on the robot.
    b: Frame b: another place, which can move against a.
    axis: Axis in frame a, and the same vector in frame b; of any length but 0.
    drive: Moves frame a as driven motion: its pose in time, relative to where a puts it. If missing: it stays where
        it is.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "revolute")
    name: str
    a: Mapping[str, Any]
    b: Mapping[str, Any]
    axis: Sequence[float] | None = None
    drive: Mapping[str, Any] | None = None


@dataclasses.dataclass(eq=False)
class SphericalLoop(Part):
    """b turns freely, its origin where a's is. `type: spherical` of a robot file.

    name: Unique name; results use it.
    a: Frame a: a place on the robot.
    b: Frame b: another place, which can move against a.
    drive: Moves frame a as driven motion: its pose in time, relative to where a puts it. If missing: it stays where
        it is.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "spherical")
    name: str
    a: Mapping[str, Any]
    b: Mapping[str, Any]
    drive: Mapping[str, Any] | None = None


@dataclasses.dataclass(eq=False)
class PrismaticLoop(Part):
    """b slides along axis in a, its axes parallel to a's. `type: prismatic` of a robot file.

    name: Unique name; results use it.
    a: Frame a: a place on the robot.
    b: Frame b: another place, which can move against a.
    axis: Direction in frame a, of any length but 0.
    drive: Moves frame a as driven motion: its pose in time, relative to where a puts it. If missing: it stays where
        it is.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "prismatic")
    name: str
    a: Mapping[str, Any]
    b: Mapping[str, Any]
    axis: Sequence[float] | None = None
    drive: Mapping[str, Any] | None = None


@dataclasses.dataclass(eq=False)
class UniversalLoop(Part):
    """b turns about an axis of a and an axis of b that stay orthogonal. `type: universal` of a robot file.

    name: Unique name; results use it.
    a: Frame a: a place on the robot.
    b: Frame b: another place, which can move against a.
    axis: First axis, in frame a, of any length but 0. The second axis is fixed in frame b: the coordinate axis
        after the largest component of axis (y after x, z after y, x after z), made orthogonal to axis.
    drive: Moves frame a as driven motion: its pose in time, relative to where a puts it. If missing: it stays where
        it is.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "universal")
    name: str
    a: Mapping[str, Any]
    b: Mapping[str, Any]
    axis: Sequence[float] | None = None
    drive: Mapping[str, Any] | None = None


@dataclasses.dataclass(eq=False)
class PoseInTime(Part):
    """`PoseInTime` of a robot file.

    position: Three signals. [m] If missing: as it is without.
    rpy: Roll, pitch and yaw, three signals: R = Rz(yaw) Ry(pitch) Rx(roll). [rad] If missing: as it is without.
    """

    position: Sequence[float | Mapping[str, Any]] | None = None
    rpy: Sequence[float | Mapping[str, Any]] | None = None


@dataclasses.dataclass(eq=False)
class PlaneObstacle(Part):
    """All that lies below z = 0, without end. `shape: plane` of a robot file.

    name: Unique name, also among links; contacts name it.
    pose: Of the shape, in the world. If missing: identity.
    motion: Moves it: its pose in time, relative to pose. If missing: it stays where it is.
    inside: Robots are within it, as in a tube or a bowl: its surface faces inwards.
    color: Name of a color, or red, green, blue and, if wanted, opacity. If missing: the viewer's choice.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("shape", "plane")
    name: str
    pose: Mapping[str, Any] | None = None
    motion: Mapping[str, Any] | None = None
    inside: bool | None = None
    color: str | Sequence[float] | None = None


@dataclasses.dataclass(eq=False)
class SphereObstacle(Part):
    """A sphere about the origin. `shape: sphere` of a robot file.

    name: Unique name, also among links; contacts name it.
    radius: Radius. [m]
    pose: Of the shape, in the world. If missing: identity.
    motion: Moves it: its pose in time, relative to pose. If missing: it stays where it is.
    inside: Robots are within it, as in a tube or a bowl: its surface faces inwards.
    color: Name of a color, or red, green, blue and, if wanted, opacity. If missing: the viewer's choice.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("shape", "sphere")
    name: str
    radius: float
    pose: Mapping[str, Any] | None = None
    motion: Mapping[str, Any] | None = None
    inside: bool | None = None
    color: str | Sequence[float] | None = None


@dataclasses.dataclass(eq=False)
class CapsuleObstacle(Part):
    """A cylinder along z with half spheres as its ends, centered at the origin. `shape: capsule` of a robot file.

    name: Unique name, also among links; contacts name it.
    radius: Radius. [m]
    length: Distance of the centers of its half spheres, along z. [m]
    pose: Of the shape, in the world. If missing: identity.
    motion: Moves it: its pose in time, relative to pose. If missing: it stays where it is.
    inside: Robots are within it, as in a tube or a bowl: its surface faces inwards.
    color: Name of a color, or red, green, blue and, if wanted, opacity. If missing: the viewer's choice.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("shape", "capsule")
    name: str
    radius: float
    length: float
    pose: Mapping[str, Any] | None = None
    motion: Mapping[str, Any] | None = None
    inside: bool | None = None
    color: str | Sequence[float] | None = None


@dataclasses.dataclass(eq=False)
class CylinderObstacle(Part):
    """A cylinder along z, centered at the origin. `shape: cylinder` of a robot file.

    name: Unique name, also among links; contacts name it.
    radius: Radius. [m]
    length: Length along z. [m]
    open: Of an obstacle with inside: true: its ends are open, as those of a tube. Seen from within it is a bore
        through a plate as thick as its length.
    pose: Of the shape, in the world. If missing: identity.
    motion: Moves it: its pose in time, relative to pose. If missing: it stays where it is.
    inside: Robots are within it, as in a tube or a bowl: its surface faces inwards.
    color: Name of a color, or red, green, blue and, if wanted, opacity. If missing: the viewer's choice.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("shape", "cylinder")
    name: str
    radius: float
    length: float
    open: bool | None = None
    pose: Mapping[str, Any] | None = None
    motion: Mapping[str, Any] | None = None
    inside: bool | None = None
    color: str | Sequence[float] | None = None


@dataclasses.dataclass(eq=False)
class ConeObstacle(Part):
    """A cone along z, its apex at half its length above the origin, its base as far below. `shape: cone` of a robot
    file.

    name: Unique name, also among links; contacts name it.
    angle: Angle between its axis and its side. [rad]
    length: Length along z, from its base to its apex. [m]
    pose: Of the shape, in the world. If missing: identity.
    motion: Moves it: its pose in time, relative to pose. If missing: it stays where it is.
    inside: Robots are within it, as in a tube or a bowl: its surface faces inwards.
    color: Name of a color, or red, green, blue and, if wanted, opacity. If missing: the viewer's choice.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("shape", "cone")
    name: str
    angle: float
    length: float
    pose: Mapping[str, Any] | None = None
    motion: Mapping[str, Any] | None = None
    inside: bool | None = None
    color: str | Sequence[float] | None = None


@dataclasses.dataclass(eq=False)
class BoxObstacle(Part):
    """A box about the origin. `shape: box` of a robot file.

    name: Unique name, also among links; contacts name it.
    size: Edges along x, y and z. [m]
    pose: Of the shape, in the world. If missing: identity.
    motion: Moves it: its pose in time, relative to pose. If missing: it stays where it is.
    inside: Robots are within it, as in a tube or a bowl: its surface faces inwards.
    color: Name of a color, or red, green, blue and, if wanted, opacity. If missing: the viewer's choice.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("shape", "box")
    name: str
    size: Sequence[float]
    pose: Mapping[str, Any] | None = None
    motion: Mapping[str, Any] | None = None
    inside: bool | None = None
    color: str | Sequence[float] | None = None


@dataclasses.dataclass(eq=False)
class HeightFieldObstacle(Part):
    """All that lies below a smooth surface through heights on a regular grid: uneven ground. `shape: height_field` of
    a robot file.

    name: Unique name, also among links; contacts name it.
    grid: Heights z: rows along y, in each the heights along x, all equally many and at least two each way. The grid
        is about the origin; beyond its border the heights there go on.
    cell: Distances of neighbors along x and along y. [m]
    pose: Of the shape, in the world. If missing: identity.
    motion: Moves it: its pose in time, relative to pose. If missing: it stays where it is.
    inside: Robots are within it, as in a tube or a bowl: its surface faces inwards.
    color: Name of a color, or red, green, blue and, if wanted, opacity. If missing: the viewer's choice.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("shape", "height_field")
    name: str
    grid: Sequence[Sequence[float]]
    cell: Sequence[float]
    pose: Mapping[str, Any] | None = None
    motion: Mapping[str, Any] | None = None
    inside: bool | None = None
    color: str | Sequence[float] | None = None


@dataclasses.dataclass(eq=False)
class MeshObstacle(Part):
    """A surface of triangles from a file. `shape: mesh` of a robot file.

    name: Unique name, also among links; contacts name it.
    file: Mesh of triangles [m] in STL or OBJ. Its path is relative to this file.
    scale: Factor on the mesh, or one each for x, y and z.
    sides: two: the mesh is closed. one: it may be open, and is touched from the side from which its triangles are
        seen counterclockwise; with inside: true from the other. What is nearest to its border is outside.
    pose: Of the shape, in the world. If missing: identity.
    motion: Moves it: its pose in time, relative to pose. If missing: it stays where it is.
    inside: Robots are within it, as in a tube or a bowl: its surface faces inwards.
    color: Name of a color, or red, green, blue and, if wanted, opacity. If missing: the viewer's choice.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("shape", "mesh")
    name: str
    file: str
    scale: float | Sequence[float] | None = None
    sides: str | None = None
    pose: Mapping[str, Any] | None = None
    motion: Mapping[str, Any] | None = None
    inside: bool | None = None
    color: str | Sequence[float] | None = None


@dataclasses.dataclass(eq=False)
class SmoothMeshObstacle(Part):
    """A smooth surface beside that of a mesh, through a grid of distances: for grooves, bores and round bodies, whose
    facets are not meant. `shape: smooth_mesh` of a robot file.

    name: Unique name, also among links; contacts name it.
    file: Mesh of triangles [m] in STL or OBJ. Its path is relative to this file.
    cell: Distance of neighbors in the grid: about what the smooth surface rounds off. [m]
    scale: Factor on the mesh, or one each for x, y and z.
    pose: Of the shape, in the world. If missing: identity.
    motion: Moves it: its pose in time, relative to pose. If missing: it stays where it is.
    inside: Robots are within it, as in a tube or a bowl: its surface faces inwards.
    color: Name of a color, or red, green, blue and, if wanted, opacity. If missing: the viewer's choice.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("shape", "smooth_mesh")
    name: str
    file: str
    cell: float
    scale: float | Sequence[float] | None = None
    pose: Mapping[str, Any] | None = None
    motion: Mapping[str, Any] | None = None
    inside: bool | None = None
    color: str | Sequence[float] | None = None


@dataclasses.dataclass(eq=False)
class Contact(Part):
    """`Contact` of a robot file.

    name: Unique name; results and parameters use it.
    a: Links that touch: one or several.
    b: What they touch: one or several obstacles or links, or self: each link of a touches itself.
    friction: Coefficient of friction, or more of it (friction).
    modulus: Contact modulus E*: how stiff both sides are together. [Pa] If missing: of the materials of both sides:
        1/E* is the sum of (1 - nu^2)/E, 0 for rigid sides; needed if both are rigid.
    dissipation: Factor c of damping: the normal force is that of rest times 1 + c d', where d' is the speed of
        approach. It says how bodies bounce. [s/m]
    rounding: Radius of corners, edges and vertices of rigid sides. [m] If missing: 1 % of the least half extent.
    spacing: Largest distance between points at which edges touch; between corners of facets of volumes that touch
        each other about the mean one. [m] If missing: by the shape's size, or the number of facets.
    record: What results have: the contact as a whole, or each point at which it touches too.
    """

    name: str
    a: str | Sequence[str]
    b: str | Sequence[str]
    friction: float | Mapping[str, Any] | None = None
    modulus: float | None = None
    dissipation: float | None = None
    rounding: float | None = None
    spacing: float | None = None
    record: str | None = None


@dataclasses.dataclass(eq=False)
class Friction(Part):
    """`Friction` of a robot file.

    kinetic: Coefficient while it slides: friction over normal force, in all directions that have none of their own.
    If missing: static; without that 0.5.
    static: The same at rest, at least kinetic. Directions with coefficients of their own have the same ratio of
        both. If missing: kinetic.
    forward: Of kinetic friction where a point of a slides along its link's z axis, along a rod towards its tip. If
        missing: kinetic.
    backward: Where it slides against that axis. If missing: kinetic.
    sideways: Where it slides across that axis. If missing: kinetic.
    stribeck_velocity: Speed at which what static friction has beyond kinetic friction has fallen to 1/e. [m/s]
    damping_time: Damping of the springs by which friction holds, over their stiffness. [s]
    """

    kinetic: float | None = None
    static: float | None = None
    forward: float | None = None
    backward: float | None = None
    sideways: float | None = None
    stribeck_velocity: float | None = None
    damping_time: float | None = None


@dataclasses.dataclass(eq=False)
class Marker(Part):
    """`Marker` of a robot file.

    name: Unique name; results have the frame by it.
    link: Link that it is on; base is the robot's base.
    at: Where: its base frame, its tip frame, or a place on it.
    offset: Of its origin from that place, in axes of that. [m]
    rpy: Its axes relative to that place: roll, pitch and yaw, R = Rz(yaw) Ry(pitch) Rx(roll). [rad]
    quaternion: The same as [w, x, y, z], instead of rpy. Its norm must be 1 within 1e-6.
    """

    name: str
    link: str
    at: str | Mapping[str, Any] | None = None
    offset: Sequence[float] | None = None
    rpy: Sequence[float] | None = None
    quaternion: Sequence[float] | None = None


@dataclasses.dataclass(eq=False)
class FramePositionSensor(Part):
    """Pose of a frame in the world: x, y, z [m] and its quaternion qw, qx, qy, qz, qw >= 0. `type: frame_position` of
    a robot file.

    name: Unique name among sensors; results use it.
    link: Link that it sits on; base is the robot's base.
    at: Where: its base frame, its tip frame, or a place on it.
    pose: Its frame, relative to that place. If missing: identity.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "frame_position")
    name: str
    link: str
    at: str | Mapping[str, Any] | None = None
    pose: Mapping[str, Any] | None = None


@dataclasses.dataclass(eq=False)
class FrameVelocitySensor(Part):
    """Velocity of a frame against the world: angular wx, wy, wz [rad/s], and of its origin vx, vy, vz [m/s]. `type:
    frame_velocity` of a robot file.

    name: Unique name among sensors; results use it.
    link: Link that it sits on; base is the robot's base.
    at: Where: its base frame, its tip frame, or a place on it.
    pose: Its frame, relative to that place. If missing: identity.
    frame: Axes in which it says velocities.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "frame_velocity")
    name: str
    link: str
    at: str | Mapping[str, Any] | None = None
    pose: Mapping[str, Any] | None = None
    frame: str | None = None


@dataclasses.dataclass(eq=False)
class ImuSensor(Part):
    """Inertial measurement unit: angular velocity wx, wy, wz [rad/s] and specific force ax, ay, az [m/s^2],
    acceleration less gravity, in axes of its frame. At rest it measures 9.81 m/s^2 upwards. `type: imu` of a robot
    file.

    name: Unique name among sensors; results use it.
    link: Link that it sits on; base is the robot's base.
    at: Where: its base frame, its tip frame, or a place on it.
    pose: Its frame, relative to that place. If missing: identity.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "imu")
    name: str
    link: str
    at: str | Mapping[str, Any] | None = None
    pose: Mapping[str, Any] | None = None


@dataclasses.dataclass(eq=False)
class StrainSensor(Part):
    """Strain of a rod's cross-section: kappa_x, kappa_y, kappa_z [rad/m], sigma_x, sigma_y, sigma_z; or, with an
    offset, elongation: by how much a fiber there, parallel to the axis, is longer than at rest, relative to that.
    `type: strain` of a robot file.

    name: Unique name among sensors; results use it.
    link: Link whose body is a rod.
    s: Distance from the rod's base along its rest length, at most L. [m]
    offset: [x, y] in the axes of the cross-section: the elongation of a fiber there instead. [m] If missing: all
        six components.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "strain")
    name: str
    link: str
    s: float
    offset: Sequence[float] | None = None


@dataclasses.dataclass(eq=False)
class ActuatorLengthSensor(Part):
    """Actuation coordinate of an actuator and its rate, length and rate: a joint's coordinate, how much a tendon is
    shorter than in the neutral configuration. Of several inputs length.0, .. `type: actuator_length` of a robot
    file.

    name: Unique name among sensors; results use it.
    actuator: Name of an actuator.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "actuator_length")
    name: str
    actuator: str


@dataclasses.dataclass(eq=False)
class ActuatorForceSensor(Part):
    """What the inputs of an actuator make, force: torque, tension - of a tendon driven by length too -, pressure. Of
    several inputs force.0, .. `type: actuator_force` of a robot file.

    name: Unique name among sensors; results use it.
    actuator: Name of an actuator.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "actuator_force")
    name: str
    actuator: str


@dataclasses.dataclass(eq=False)
class ChamberVolumeSensor(Part):
    """volume of a chamber [m^3] and its rate [m^3/s]. `type: chamber_volume` of a robot file.

    name: Unique name among sensors; results use it.
    actuator: Name of a chamber among the actuators.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "chamber_volume")
    name: str
    actuator: str


@dataclasses.dataclass(eq=False)
class JointWrenchSensor(Part):
    """What the parent exerts on a link through its joint - bearing, spring, damper and motor together; through a fixed
    one too, as a load cell: torque tx, ty, tz [N m] about the origin of the joint's frame on the parent's side,
    force fx, fy, fz [N], in axes of that frame. What goes past the joint is not in it: straight stretches of
    tendons, springs, loops. `type: joint_wrench` of a robot file.

    name: Unique name among sensors; results use it.
    link: Link whose joint it sits in; it may be fixed.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "joint_wrench")
    name: str
    link: str


@dataclasses.dataclass(eq=False)
class ContactSensor(Part):
    """What a contact does to the links on its side a, as one wrench: torque tx, ty, tz [N m] about the origin of a
    frame and force fx, fy, fz [N], in axes of that frame. `type: contact` of a robot file.

    name: Unique name among sensors; results use it.
    link: Link that it sits on; base is the robot's base.
    contact: Name of a contact.
    at: Where: its base frame, its tip frame, or a place on it.
    pose: Its frame, relative to that place. If missing: identity.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "contact")
    name: str
    link: str
    contact: str
    at: str | Mapping[str, Any] | None = None
    pose: Mapping[str, Any] | None = None


@dataclasses.dataclass(eq=False)
class EnergySensor(Part):
    """Energies of the whole robot: kinetic, gravity, elastic, elements [J]. `type: energy` of a robot file.

    name: Unique name among sensors; results use it.
    """

    _kind: ClassVar[tuple[str, str] | None] = ("type", "energy")
    name: str


__all__ = [
    "Part", "RobotFile", "Base", "Pose", "BoxVisual", "CylinderVisual", "SphereVisual", "MeshVisual", "Material",
    "Include", "Link", "Attach", "SectionOfARod", "FixedJoint", "RevoluteJoint", "PrismaticJoint", "CylindricalJoint",
    "UniversalJoint", "SphericalJoint", "PlanarJoint", "FreeJoint", "RigidBody", "RodBody", "VolumeBody",
    "ContinuumJointBody", "CircleSection", "AnnulusSection", "EllipseSection", "RectangleSection", "GeneralSection",
    "RodQuadrature", "KirchhoffStrain", "Basis", "Strain", "RestStrain", "Stiffening", "Hyperelastic", "TanhLaw",
    "CylinderShape", "BoxShape", "MeshShape", "LvpKinematics", "RitzKinematics", "FemKinematics", "RadialKinematics",
    "NeuralKinematics", "StretchPrimitive", "ShearPrimitive", "TwistPrimitive", "BendPrimitive", "SourcePrimitive",
    "Term", "FemAttachments", "BackboneStrain", "VolumeQuadrature", "TipPoints", "PlaneContactShape",
    "SphereContactShape", "CapsuleContactShape", "CylinderContactShape", "ConeContactShape", "BoxContactShape",
    "HeightFieldContactShape", "MeshContactShape", "SmoothMeshContactShape", "JointActuator", "LinearActuator",
    "TendonActuator", "ChamberActuator", "WrenchActuator", "DistanceActuator", "Routing", "HelicalOffset", "Helix",
    "PocketSurface", "Pocket", "Place", "FrameOfALoop", "SpringElement", "JointLimitElement", "JointFrictionElement",
    "CouplingElement", "PlayElement", "TendonFrictionElement", "WrenchLoad", "DistributedLoad", "FluidLoad",
    "DroneLoad", "MassDampingLoad", "StepSignal", "RampSignal", "SineSignal", "PointsSignal", "TableSignal",
    "CubicSignal", "QuinticSignal", "MinimumJerkSignal", "SplineSignal", "StepsSignal", "FixedLoop", "RevoluteLoop",
    "SphericalLoop", "PrismaticLoop", "UniversalLoop", "PoseInTime", "PlaneObstacle", "SphereObstacle",
    "CapsuleObstacle", "CylinderObstacle", "ConeObstacle", "BoxObstacle", "HeightFieldObstacle", "MeshObstacle",
    "SmoothMeshObstacle", "Contact", "Friction", "Marker", "FramePositionSensor", "FrameVelocitySensor", "ImuSensor",
    "StrainSensor", "ActuatorLengthSensor", "ActuatorForceSensor", "ChamberVolumeSensor", "JointWrenchSensor",
    "ContactSensor", "EnergySensor",
]
