import type { LivePage } from "../contract";
export async function showLive(_page: LivePage, _root: HTMLElement): Promise<void> {}
