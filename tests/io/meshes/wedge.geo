// A wedge for tests. wedge_22.msh, wedge_41.msh: gmsh -3 wedge.geo -format msh22 -o wedge_22.msh, the same with 41
SetFactory("OpenCASCADE");
Wedge(1) = {-0.05, -0.06, 0, 0.1, 0.12, 0.3, 0.04};
Physical Surface("near side", 7) = {3};
Physical Surface("ends", 9) = {5, 6};
Physical Volume("all of it", 7) = {1};
Mesh.MeshSizeMin = 1;
