import {
  Color,
  GreaterDepth,
  LineBasicMaterial,
  type Material,
  MeshLambertMaterial,
  MeshPhongMaterial,
  PointsMaterial,
} from "three";
import { palettes, tones } from "./colors";
import type { StageRun, Theme } from "./interface";
import { QuickMaterials } from "./quick";

/** The materials of one robot. Themes and tones change their colors, never the materials themselves. */
export class Looks {
  readonly soft = [softMaterial(), softMaterial()];
  /** Colored by a field. */
  readonly field = new MeshLambertMaterial({
    vertexColors: true,
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
  });
  /** Without the field that colors the others. */
  readonly plain = new MeshLambertMaterial();
  readonly rigid = new MeshPhongMaterial({ shininess: 40, specular: 0x2a2a2a });
  readonly joint = new MeshPhongMaterial({ shininess: 50, specular: 0x333333 });
  readonly mass = new MeshPhongMaterial({ shininess: 50, specular: 0x333333 });
  readonly edge = new LineBasicMaterial({ transparent: true });
  /** Axes of frames, seen through everything. */
  readonly triad = new LineBasicMaterial({ vertexColors: true, depthTest: false });
  readonly force = new MeshLambertMaterial();
  readonly torque = new MeshLambertMaterial();
  /** Of contacts. */
  readonly normal = new MeshLambertMaterial();
  readonly friction = new MeshLambertMaterial();
  /** Of their sites: apart, sticks, slips. Seen through everything: they lie between two bodies. */
  readonly dots = [5, 10, 10].map((size) => dotMaterial(size));
  readonly quick = new QuickMaterials();
  private readonly given = new Map<string, MeshPhongMaterial>();

  constructor(private readonly tone: StageRun["tone"]) {}

  setTheme(theme: Theme): void {
    const palette = palettes[theme];
    const soft = this.tone === "normal" ? palette.soft : tones[theme][this.tone];
    this.soft.forEach((material, i) => material.color.set(soft[i]));
    this.plain.color.set(palette.plain);
    this.rigid.color.set(palette.rigid);
    this.joint.color.set(palette.joint);
    this.mass.color.set(palette.mass);
    this.force.color.set(palette.force);
    this.torque.color.set(palette.torque);
    this.normal.color.set(palette.normal);
    this.friction.color.set(palette.friction);
    this.dots.forEach((material, state) => material.color.set(palette.dots[state]));
    this.edge.color.set(palette.edge);
    this.edge.opacity = palette.edgeOpacity;
    if (this.tone !== "normal") {
      this.rigid.color.lerp(new Color(soft[0]), 0.35);
      this.edge.color.set(soft[0]).multiplyScalar(0.25);
    }
  }

  /** A color that the robot's file gives, or an opacity; without both the rigid parts' own. */
  shape(color: string | undefined, opacity: number | undefined): Material {
    if (color === undefined && opacity === undefined) return this.rigid;
    const key = `${color}/${opacity}`;
    let material = this.given.get(key);
    if (material === undefined) {
      material = new MeshPhongMaterial({ color: color ?? this.rigid.color, shininess: 35, specular: 0x262626 });
      if (opacity !== undefined && opacity < 1) {
        Object.assign(material, { transparent: true, opacity, depthWrite: false });
      }
      this.given.set(key, material);
    }
    return material;
  }

  dispose(): void {
    const { soft, field, plain, rigid, joint, mass, edge, triad, force, torque, normal, friction, dots } = this;
    const own = [...soft, field, plain, rigid, joint, mass, edge, triad, force, torque, normal, friction, ...dots];
    for (const material of [...own, ...this.given.values()]) material.dispose();
    this.quick.dispose();
  }
}

/** Round, of so many pixels wherever it is. */
function dotMaterial(size: number): PointsMaterial {
  const material = new PointsMaterial({ size, sizeAttenuation: false, depthTest: false, transparent: true });
  material.onBeforeCompile = (shader): void => {
    shader.fragmentShader = shader.fragmentShader.replace(
      "void main() {",
      "void main() {\n  if (length(gl_PointCoord - 0.5) > 0.5) discard;",
    );
  };
  return material;
}

function softMaterial(): MeshPhongMaterial {
  // Pushed back a little, so that crease lines on the same points lie on top.
  return new MeshPhongMaterial({
    shininess: 32,
    specular: 0x2a2522,
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
  });
}

/** Of what lies inside of soft parts: it shines through what covers it. */
export function insideMaterial(): MeshLambertMaterial {
  return new MeshLambertMaterial({ transparent: true, depthTest: false, depthWrite: false });
}

/** Of what may lie inside of soft parts or outside: what is covered shines through. */
export function coveredMaterial(opacity: number): MeshLambertMaterial {
  return new MeshLambertMaterial({ transparent: true, opacity, depthFunc: GreaterDepth, depthWrite: false });
}

/** One configuration of a stroboscopic picture. */
export function ghostMaterial(opacity: number): MeshLambertMaterial {
  // Behind the moving robot where both are in one place, as at the base.
  const behind = { polygonOffset: true, polygonOffsetFactor: 6, polygonOffsetUnits: 60 };
  return new MeshLambertMaterial({ transparent: true, opacity, depthWrite: false, ...behind });
}
