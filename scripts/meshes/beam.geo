// A beam, clamped at z = 0 and loaded at its far end. Writes models/examples/beam.msh: see scripts/meshes/make.sh.
// Structured, so that it is the same on every machine: bricks of six tetrahedra each.
L = 0.2;       // length [m]
width = 0.02;  // along x and y [m]
along = 30;    // bricks along z
across = 3;    // and along x and y

Point(1) = {-width / 2, -width / 2, 0};
Point(2) = {width / 2, -width / 2, 0};
Point(3) = {width / 2, width / 2, 0};
Point(4) = {-width / 2, width / 2, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Transfinite Curve{1:4} = across + 1;
Transfinite Surface{1} Alternate;
out[] = Extrude {0, 0, L} { Surface{1}; Layers{along}; };

Physical Surface("base") = {1};
Physical Surface("tip") = {out[0]};
Physical Volume("body") = {out[1]};
Mesh.MshFileVersion = 4.1;
