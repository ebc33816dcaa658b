import {
  type Material,
  type MeshLambertMaterial,
  type MeshPhongMaterial,
  ShaderMaterial,
  UniformsLib,
  UniformsUtils,
} from "three";

const vertexShader = `
  #include <common>
  #include <lights_pars_begin>
  #include <colorspace_pars_fragment>
  uniform vec3 diffuse;
  varying vec3 shade;
  void main() {
    vec3 across = normalize(normalMatrix * normal);
    vec3 light = vec3(0.0);
    for (int i = 0; i < NUM_DIR_LIGHTS; i++) {
      light += max(0.0, dot(across, directionalLights[i].direction)) * directionalLights[i].color;
    }
    for (int i = 0; i < NUM_HEMI_LIGHTS; i++) light += getHemisphereLightIrradiance(hemisphereLights[i], across);
    vec3 surface = diffuse;
    #ifdef USE_COLOR
      surface *= color;
    #endif
    shade = sRGBTransferOETF(vec4(min(vec3(1.0), RECIPROCAL_PI * light * surface), 1.0)).rgb;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  }`;

const fragmentShader = `
  uniform float opacity;
  varying vec3 shade;
  void main() { gl_FragColor = vec4(shade, opacity); }`;

/**
 * The same matte, with the light computed corner by corner instead of pixel by pixel: where a program draws, that is
 * several times as fast. Its color and opacity are those of the material itself and change with it.
 */
export function quickMaterial(material: MeshPhongMaterial | MeshLambertMaterial): ShaderMaterial {
  const { transparent, depthTest, depthWrite, depthFunc, vertexColors } = material;
  const { polygonOffset, polygonOffsetFactor, polygonOffsetUnits } = material;
  const quick = new ShaderMaterial({
    ...{ vertexShader, fragmentShader, lights: true, transparent, depthTest, depthWrite, depthFunc, vertexColors },
    ...{ polygonOffset, polygonOffsetFactor, polygonOffsetUnits },
  });
  quick.uniforms = {
    ...UniformsUtils.clone(UniformsLib.lights),
    diffuse: { value: material.color },
    opacity: {
      get value() {
        return material.opacity;
      },
    },
  };
  return quick;
}

/** Quick materials of others, made when they are first wanted. */
export class QuickMaterials {
  private readonly made = new Map<Material, ShaderMaterial>();

  of(material: Material): Material {
    let quick = this.made.get(material);
    if (quick === undefined) {
      quick = quickMaterial(material as MeshPhongMaterial | MeshLambertMaterial);
      this.made.set(material, quick);
    }
    return quick;
  }

  dispose(): void {
    for (const material of this.made.values()) material.dispose();
  }
}
