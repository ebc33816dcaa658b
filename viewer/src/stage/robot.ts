import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DynamicDrawUsage,
  Group,
  InstancedMesh,
  LineSegments,
  type Material,
  Matrix4,
  Mesh,
  MeshLambertMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import type { Scene } from "../contract";
import { decodeArray } from "../data/packed";
import { Arrows } from "./arrows";
import { Dots } from "./dots";
import { pick } from "./colors";
import type { Layer } from "./interface";
import { coveredMaterial, insideMaterial, Looks } from "./looks";
import { RodGeometry } from "./rod";
import { shapeGeometry } from "./shapes";
import { roundSides } from "./software";
import { SurfaceGeometry } from "./surface";
import { TubeGeometry } from "./tube";

/** A soft part: its mesh, and the item's field values vertex by vertex. */
interface Soft {
  mesh: Mesh<RodGeometry | SurfaceGeometry, Material>;
  material: Material;
  /** Place of the value of each vertex, after the place of the field's first. */
  placeOfVertex: ArrayLike<number>;
  fields: number[];
}

interface Tinted {
  geometry: TubeGeometry | SurfaceGeometry;
  meshes: Mesh<BufferGeometry, Material>[];
  materials: MeshLambertMaterial[];
  place: number;
}

/** Which value has which color. */
export interface ColorScale {
  min: number;
  max: number;
  table: Float32Array;
}

/** What a robot needs from all of the stage to color and scale what it draws. */
export interface Scales {
  /** Field that colors, an index into scene.fields; -1: materials. */
  field: number;
  fieldScale: ColorScale;
  tension: ColorScale;
  pressure: ColorScale;
  /** Length of each of the scene's arrows for its magnitude [m per unit]. */
  arrows: ArrayLike<number>;
}

/** How much work a picture may be: quick ones, for a program that draws, are lit corner by corner and have no shadow. */
export type Pace = "fine" | "quick";

/** One robot in one configuration: three.js objects, made once and rewritten in place from frame vectors. */
export class Robot {
  readonly group = new Group();
  /** What the pointer can take hold of; userData.link says whose it is. */
  readonly solid: Mesh[] = [];
  readonly layers = new Map<Layer, Group>();
  private readonly soft: Soft[] = [];
  private readonly rigid: { mesh: Mesh; frame: number; pose: Matrix4; material: Material; colored: boolean }[] = [];
  private readonly markers: { mesh: Mesh; frame: number }[] = [];
  private readonly tendons: Tinted[] = [];
  private readonly chambers: Tinted[] = [];
  private arrows: Arrows | null = null;
  private dots: Dots | null = null;
  private triads: BufferGeometry | null = null;
  private readonly frameMatrices: Matrix4[];
  private readonly place = new Vector3();
  private readonly turn = new Quaternion();
  private readonly unit = new Vector3(1, 1, 1);
  private pace: Pace = "fine";

  private constructor(
    readonly scene: Scene,
    readonly looks: Looks,
  ) {
    this.frameMatrices = scene.frames.map(() => new Matrix4());
  }

  /** Everything of a scene. */
  static async create(scene: Scene, looks: Looks): Promise<Robot> {
    const robot = new Robot(scene, looks);
    await robot.addBody(
      (link) => looks.soft[Math.max(0, link) % 2],
      (color, opacity) => looks.shape(color, opacity),
      true,
    );
    robot.addMarkers();
    robot.addTendons();
    await robot.addChambers();
    if (scene.arrows.length > 0) {
      robot.arrows = new Arrows(scene, 0.006 * scene.reach, looks);
      robot.layer("loads").add(robot.arrows.group);
    }
    if (scene.dots !== undefined) {
      robot.dots = new Dots(scene.dots, looks.dots);
      robot.layer("loads").add(robot.dots.group);
    }
    robot.addTriads();
    return robot;
  }

  /** Only its body, in one material: a configuration of a stroboscopic picture. */
  static async createGhost(scene: Scene, looks: Looks, material: Material): Promise<Robot> {
    const robot = new Robot(scene, looks);
    await robot.addBody(
      () => material,
      () => material,
      false,
    );
    return robot;
  }

  private layer(name: Layer): Group {
    let group = this.layers.get(name);
    if (group === undefined) {
      group = new Group();
      this.layers.set(name, group);
      this.group.add(group);
    }
    return group;
  }

  private add<M extends Mesh | LineSegments>(object: M, parent: Group = this.group): M {
    // Positions change all the time: bounds for culling would have to follow at more cost than they save.
    object.frustumCulled = false;
    parent.add(object);
    return object;
  }

  private async addBody(
    softOf: (link: number) => Material,
    rigidOf: (color: string | undefined, opacity: number | undefined) => Material,
    /** With edges, obstacles and contact shapes. */
    whole: boolean,
  ): Promise<void> {
    const { scene } = this;
    for (const item of scene.rods) {
      const geometry = new RodGeometry(item);
      this.addSoft(geometry, softOf(item.link), item.link, geometry.stationOfVertex, item.fields);
    }
    for (const item of scene.surfaces) {
      const triangles = await decodeArray(item.triangles, "surface triangles");
      const edges = await decodeArray(item.edges, "surface edges");
      const geometry = new SurfaceGeometry(item.at, item.points, triangles, edges);
      this.addSoft(geometry, softOf(item.link), item.link, geometry.pointOfVertex, item.fields);
      if (whole && edges.length > 0) this.add(new LineSegments(geometry.lines(edges), this.looks.edge));
    }
    for (const shape of scene.shapes) {
      if (!whole && (shape.obstacle || shape.contact)) continue;
      const material = rigidOf(shape.color, shape.opacity);
      const parent = shape.contact ? this.layer("contactShapes") : shape.obstacle ? this.layer("obstacles") : this.group;
      const mesh = this.add(new Mesh(await shapeGeometry(shape), material), parent);
      mesh.matrixAutoUpdate = false;
      mesh.userData.link = shape.link;
      const { position, quaternion } = shape.pose;
      const [w, x, y, z] = quaternion;
      const pose = new Matrix4().compose(new Vector3(...position), new Quaternion(x, y, z, w), this.unit);
      this.rigid.push({ mesh, frame: shape.frame, pose, material, colored: !shape.obstacle && !shape.contact });
      if (!shape.obstacle && !shape.contact) this.solid.push(mesh);
    }
  }

  private addSoft(
    geometry: RodGeometry | SurfaceGeometry,
    material: Material,
    link: number,
    placeOfVertex: ArrayLike<number>,
    fields: number[],
  ): void {
    const mesh = this.add(new Mesh<RodGeometry | SurfaceGeometry, Material>(geometry, material));
    mesh.userData.link = link;
    this.soft.push({ mesh, material, placeOfVertex, fields });
    this.solid.push(mesh);
  }

  private addMarkers(): void {
    const { scene, looks } = this;
    const ball = new SphereGeometry(1, roundSides(28), roundSides(18));
    scene.frames.forEach((frame, index) => {
      if (frame.marker === undefined) return;
      const mesh = this.add(new Mesh(ball, frame.marker === "mass" ? looks.mass : looks.joint), this.layer("joints"));
      mesh.scale.setScalar(frame.radius ?? 0.015 * scene.reach);
      mesh.userData.link = frame.link;
      this.markers.push({ mesh, frame: index });
      this.solid.push(mesh);
    });
  }

  private addTinted(
    geometry: TubeGeometry | SurfaceGeometry,
    place: number,
    parent: Group,
    materials: MeshLambertMaterial[],
  ): Tinted {
    // What shines through comes after all that may cover it.
    const meshes = materials.map((material) => {
      const mesh = this.add(new Mesh<BufferGeometry, Material>(geometry, material), parent);
      mesh.renderOrder = material.transparent ? 2 : 0;
      return mesh;
    });
    return { geometry, meshes, materials, place };
  }

  private addTendons(): void {
    for (const item of this.scene.tendons) {
      const geometry = new TubeGeometry(item.at, item.points, 0.0035 * this.scene.reach, 6);
      this.tendons.push(
        this.addTinted(geometry, item.tension, this.layer("tendons"), [
          new MeshLambertMaterial(),
          coveredMaterial(0.45),
        ]),
      );
    }
  }

  private async addChambers(): Promise<void> {
    for (const { tube, cavity, pressure } of this.scene.chambers) {
      const geometry = tube
        ? new TubeGeometry(tube.at, tube.points, tube.radius, roundSides(20))
        : new SurfaceGeometry(cavity!.at, cavity!.points, await decodeArray(cavity!.triangles, "cavity triangles"), []);
      this.chambers.push(this.addTinted(geometry, pressure, this.layer("chambers"), [insideMaterial()]));
    }
  }

  private addTriads(): void {
    const count = this.scene.frames.length;
    const geometry = new BufferGeometry();
    const colors = new Float32Array(18 * count);
    const color = new Color();
    for (let line = 0; line < 3 * count; line++) {
      color.set(["#c8503c", "#4f8f3a", "#3a6fb5"][line % 3]);
      for (let end = 0; end < 2; end++) color.toArray(colors, 6 * line + 3 * end);
    }
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(18 * count), 3).setUsage(DynamicDrawUsage));
    geometry.setAttribute("color", new BufferAttribute(colors, 3));
    this.triads = geometry;
    this.add(new LineSegments(geometry, this.looks.triad), this.layer("frames")).renderOrder = 3;
    this.layer("frames").visible = false;
  }

  /** Colors soft parts by a field, or by their material: what has no value of it is plain. */
  private color(scales: Scales, vector: Float32Array): void {
    const { field, fieldScale } = scales;
    for (const { mesh, material, placeOfVertex, fields } of this.soft) {
      const place = field < 0 ? -1 : fields[field];
      this.dress(mesh, field < 0 ? material : place < 0 ? this.looks.plain : this.looks.field);
      if (place < 0) continue;
      let attribute = mesh.geometry.getAttribute("color") as BufferAttribute | undefined;
      if (attribute === undefined) {
        attribute = new BufferAttribute(new Float32Array(3 * placeOfVertex.length), 3).setUsage(DynamicDrawUsage);
        mesh.geometry.setAttribute("color", attribute);
      }
      const { min, max, table } = fieldScale;
      const last = table.length / 3 - 1;
      const factor = max > min ? last / (max - min) : 0;
      const colors = attribute.array;
      for (let vertex = 0; vertex < placeOfVertex.length; vertex++) {
        const step = (vector[place + placeOfVertex[vertex]] - min) * factor;
        const entry = 3 * Math.round(Math.min(last, Math.max(0, step)));
        colors[3 * vertex] = table[entry];
        colors[3 * vertex + 1] = table[entry + 1];
        colors[3 * vertex + 2] = table[entry + 2];
      }
      attribute.needsUpdate = true;
    }
    for (const { mesh, material, colored } of this.rigid) {
      this.dress(mesh, field < 0 || !colored ? material : this.looks.plain);
    }
    // What shines through would change the colors that have a legend.
    for (const { meshes } of this.chambers) for (const mesh of meshes) mesh.visible = field < 0;
    tint(this.tendons, scales.tension, vector);
    tint(this.chambers, scales.pressure, vector, true);
  }

  private dress(mesh: Mesh, material: Material): void {
    mesh.userData.material = material;
    mesh.material = this.pace === "fine" ? material : this.looks.quick.of(material);
  }

  /** With the next update. */
  setPace(pace: Pace): void {
    this.pace = pace;
    this.group.traverse((object) => {
      if (!(object instanceof Mesh) || object instanceof InstancedMesh) return;
      this.dress(object, object.userData.material ?? object.material);
    });
  }

  /** Shows a frame vector. */
  update(vector: Float32Array, scales: Scales | null): void {
    const { scene, frameMatrices, place, turn } = this;
    scene.frames.forEach(({ at }, index) => {
      place.set(vector[at], vector[at + 1], vector[at + 2]);
      turn.set(vector[at + 4], vector[at + 5], vector[at + 6], vector[at + 3]);
      frameMatrices[index].compose(place, turn, this.unit);
    });
    for (const { mesh } of this.soft) mesh.geometry.update(vector);
    for (const { mesh, frame, pose } of this.rigid) mesh.matrix.multiplyMatrices(frameMatrices[frame], pose);
    for (const { mesh, frame } of this.markers) mesh.position.setFromMatrixPosition(frameMatrices[frame]);
    if (scales === null) return;
    if (this.layers.get("tendons")?.visible) for (const { geometry } of this.tendons) geometry.update(vector);
    if (this.layers.get("chambers")?.visible) for (const { geometry } of this.chambers) geometry.update(vector);
    if (this.layers.get("loads")?.visible) {
      this.arrows?.update(vector, scales.arrows);
      this.dots?.update(vector);
    }
    if (this.layers.get("frames")?.visible) this.updateTriads();
    this.color(scales, vector);
  }

  private updateTriads(): void {
    const attribute = this.triads!.getAttribute("position") as BufferAttribute;
    const size = 0.06 * this.scene.reach;
    this.frameMatrices.forEach((matrix, frame) => {
      for (let axis = 0; axis < 3; axis++) {
        const place = 18 * frame + 6 * axis;
        for (let i = 0; i < 3; i++) {
          const origin = matrix.elements[12 + i];
          attribute.array[place + i] = origin;
          attribute.array[place + 3 + i] = origin + size * matrix.elements[4 * axis + i];
        }
      }
    });
    attribute.needsUpdate = true;
  }

  setTheme(): void {
    this.arrows?.recolor();
  }

  /** How many sites of contacts are drawn as apart, sticking and slipping. */
  dotCounts(): number[] {
    return this.dots?.counts() ?? [0, 0, 0];
  }

  dispose(): void {
    this.group.traverse((object) => {
      if (object instanceof Mesh || object instanceof LineSegments) object.geometry.dispose();
    });
    for (const { materials } of [...this.tendons, ...this.chambers]) {
      for (const material of materials) material.dispose();
    }
    this.arrows?.dispose();
    this.dots?.dispose();
  }
}

function tint(items: Tinted[], scale: ColorScale, vector: Float32Array, faint = false): void {
  const span = scale.max - scale.min;
  for (const { materials, place } of items) {
    const part = span > 0 ? (vector[place] - scale.min) / span : 0.5;
    for (const material of materials) pick(scale.table, part, material.color);
    // A chamber without pressure is there, but does not call for attention.
    if (faint) materials[0].opacity = 0.3 + 0.4 * Math.min(1, Math.abs(2 * part - 1));
  }
}
