import { invalidRequest } from './problem.ts';
import { type MasterKey, SealError } from './sealer.ts';

/**
 * Encrypted cursors of one listing. They may contain ids of records that the caller cannot see, so a cursor works only
 * for the caller that received it.
 */
export interface Cursors {
  /** @param caller the serviceId */
  of(caller: string, place: string): string;
  /** @throws Problem `invalid-request` (`cursor`) */
  placeOf(caller: string, cursor: string): string;
}

/** @param listing plural name of the listing; cursors of other listings are refused */
export function createCursors(masterKey: MasterKey, listing: string): Cursors {
  const use = (caller: string) => `cursor of ${listing}\n${caller}`;
  return {
    of: (caller, place) => Buffer.from(masterKey.seal(Buffer.from(place), use(caller))).toString('base64url'),
    placeOf(caller, cursor) {
      try {
        return Buffer.from(masterKey.open(Buffer.from(cursor, 'base64url'), use(caller))).toString();
      } catch (error) {
        if (!(error instanceof SealError)) throw error;
        throw invalidRequest([
          { pointer: 'cursor', detail: 'is not the next cursor of a page that you received' },
        ]);
      }
    },
  };
}
