import type { JsonLimits } from '@ledger-ops/glo-core';

/** Limits on the size of a body and on the number of its values. */
export interface BodyLimit extends JsonLimits {
  readonly bytes: number;
  /**
   * Time limit for receiving the body, in milliseconds. If absent, only the limit of the whole request
   * applies.
   */
  readonly milliseconds?: number;
}

/** Type of a body, which determines its limit. */
export type BodySize = 'public' | 'record' | 'image' | 'contract';

/** Limits by type of body. */
export const bodyLimits: Readonly<Record<BodySize, BodyLimit>> = {
  /** Bodies of unauthenticated callers. */
  public: { bytes: 16_384, values: 500, members: 100, milliseconds: 10_000 },
  /** Names, settings, certificates, lists of ids. */
  record: { bytes: 1_048_576, values: 10_000, members: 500 },
  /** An image of up to 1 MB in base64, with the name of its format. */
  image: { bytes: 1_572_864, values: 500, members: 100 },
  /** Contract interfaces, sources, packages, and operations with their arguments: 10 MiB. */
  contract: { bytes: 10 * 1_048_576, values: 50_000, members: 2_000 },
};

/** Returns the limit of an operation's body. Operations without authentication always have the smallest one. */
export function bodyLimitOf(hasCaller: boolean, size: BodySize = 'record'): BodyLimit {
  return bodyLimits[hasCaller ? size : 'public'];
}

/** Formats a number of bytes. */
export function inWords(bytes: number): string {
  return bytes < 1_048_576 ? `${bytes / 1_024} kB` : `${bytes / 1_048_576} MB`;
}
