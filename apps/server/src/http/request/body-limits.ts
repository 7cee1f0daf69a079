import type { JsonLimits } from '@ledger-ops/glo-core';

/** How large a body may be, and how much it may hold. */
export interface BodyLimit extends JsonLimits {
  /** Most bytes. */
  readonly bytes: number;
}

/** Kind of a body, which says how large it can be. */
export type BodySize = 'public' | 'record' | 'image' | 'contract';

/** The limits of all bodies. */
export const bodyLimits: Readonly<Record<BodySize, BodyLimit>> = {
  /** Bodies of anybody, before it is known who asks. */
  public: { bytes: 16_384, values: 500, members: 100 },
  /** Names, settings, certificates, lists of ids. */
  record: { bytes: 1_048_576, values: 10_000, members: 500 },
  /** 1 MB in base64, and its format. */
  image: { bytes: 1_572_864, values: 500, members: 100 },
  /** Interfaces, sources, packages, and operations with their arguments: 10 · 2²⁰. */
  contract: { bytes: 10 * 1_048_576, values: 50_000, members: 2_000 },
};

/** The limit of an operation's body. What anybody may send is small, whatever is said beside the route. */
export function bodyLimitOf(hasCaller: boolean, size: BodySize = 'record'): BodyLimit {
  return bodyLimits[hasCaller ? size : 'public'];
}

/** A number of bytes as people read it. */
export function inWords(bytes: number): string {
  return bytes < 1_048_576 ? `${bytes / 1_024} kB` : `${bytes / 1_048_576} MB`;
}
