// A pneumatic finger: a half round beam with a closed cavity above its flat back; under pressure the round side grows
// longer and the finger bends toward its back (-y). Writes models/examples/finger.msh: see scripts/meshes/make.sh.
SetFactory("OpenCASCADE");

L = 0.1;         // length [m]
R = 0.01;        // radius of the round side [m]
back = 0.003;    // distance of the back from the axis, on the other side [m]
wall = 0.002;    // of the round side [m]
bottom = 0.003;  // thickness of the back [m]
end = 0.006;     // thickness of the ends [m]
size = 0.005;    // of the elements [m]

Cylinder(1) = {0, 0, 0, 0, 0, L, R};
Box(2) = {-R, -back, 0, 2 * R, R + back, L};
BooleanIntersection(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
Cylinder(4) = {0, 0, end, 0, 0, L - 2 * end, R - wall};
Box(5) = {-R, bottom - back, end, 2 * R, R, L - 2 * end};
BooleanIntersection(6) = { Volume{4}; Delete; }{ Volume{5}; Delete; };
BooleanDifference(7) = { Volume{3}; Delete; }{ Volume{6}; Delete; };

e = 1e-6;  // what lies within the walls bounds the cavity
cavity[] = Surface In BoundingBox{-R + wall - e, bottom - back - e, end - e, R - wall + e, R - wall + e, L - end + e};
Physical Surface("cavity") = {cavity[]};
Physical Volume("body") = {7};

Mesh.MeshSizeMin = size;
Mesh.MeshSizeMax = size;
Mesh.MshFileVersion = 4.1;
