// A segment of a trimmed helicoid arm: helicoids of both directions, trimmed to a tube (Guan et al. 2023), between two
// end plates. Writes models/pustina2025/helicoid.msh: see scripts/meshes/make.sh.
SetFactory("OpenCASCADE");

// [P] section 7.1; its meshes have 2,749 tetrahedra
L = 0.1;   // length [m]
R = 0.02;  // radius [m]

// chosen: [P] says no more of the form than its pictures
strips = 3;         // in either direction
turn = 5 * Pi / 3;  // of a strip from plate to plate [rad]: their feet stand evenly, 60 degrees apart
width = 0.007;      // of a strip, from the trimmed edge to R [m]
thickness = 0.004;  // of a strip, normal to its outer edge [m]
plate = 0.002;      // thickness of the end plates [m]
size = 0.0083;      // of the elements, as far as the strips allow: 2,775 tetrahedra [m]

slope = Atan((L - plate) / (R * turn));  // of the strips' outer edges against the plates
half = thickness / Sin(slope) / 2;       // half of what a plane z = constant cuts from a strip
over = 0.001;                            // what is trimmed away
sections = 12;

helicoids[] = {};
For direction In {-1 : 1 : 2}
  For strip In {0 : strips - 1}
    wires[] = {};
    For k In {0 : sections}
      angle = direction * turn * (k / sections - 0.5) + 2 * Pi * strip / strips;
      z = plate / 2 + (L - plate) * k / sections;
      corners[] = {};
      For corner In {0 : 3}
        r = (corner == 0 || corner == 3) ? R - width - over : R + over;
        t = (corner < 2) ? -half : half;
        p = newp;
        Point(p) = {r * Cos(angle) - t * Sin(angle), r * Sin(angle) + t * Cos(angle), z};
        corners[] += p;
      EndFor
      lines[] = {};
      For corner In {0 : 3}
        l = newl;
        Line(l) = {corners[corner], corners[(corner + 1) % 4]};
        lines[] += l;
      EndFor
      w = newll;
      Wire(w) = lines[];
      wires[] += w;
    EndFor
    v = newv;
    ThruSections(v) = wires[];
    helicoids[] += v;
  EndFor
EndFor

outer = newv; Cylinder(outer) = {0, 0, 0, 0, 0, L, R};
inner = newv; Cylinder(inner) = {0, 0, 0, 0, 0, L, R - width};
tube[] = BooleanDifference{ Volume{outer}; Delete; }{ Volume{inner}; Delete; };
trimmed[] = BooleanIntersection{ Volume{helicoids[]}; Delete; }{ Volume{tube[]}; Delete; };
base = newv; Cylinder(base) = {0, 0, 0, 0, 0, plate, R};
tip = newv; Cylinder(tip) = {0, 0, L - plate, 0, 0, plate, R};
body[] = BooleanUnion{ Volume{trimmed[]}; Delete; }{ Volume{base, tip}; Delete; };

Physical Volume("body") = {body[]};

Mesh.MeshSizeMin = size;
Mesh.MeshSizeMax = size;
Mesh.MshFileVersion = 4.1;
