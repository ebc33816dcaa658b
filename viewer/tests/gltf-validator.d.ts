/** What the tests use of Khronos' validator, which comes without types. */
declare module "gltf-validator" {
  export function validateBytes(bytes: Uint8Array): Promise<{
    issues: { numErrors: number; numWarnings: number; messages: { code: string; message: string; severity: number; pointer?: string }[] };
    info: { animationCount: number; totalTriangleCount: number };
  }>;
}
