import { invalidRequest } from './problem.ts';
import { type MasterKey, SealError } from './sealer.ts';

/** Cursors of one listing. They name records that their caller may not know of, and are good for that caller alone. */
export interface Cursors {
  /** @param caller the serviceId */
  of(caller: string, place: string): string;
  /** @throws Problem `invalid-request` (`cursor`) */
  placeOf(caller: string, cursor: string): string;
}

/** @param listing name of the listing, in the plural: cursors of another one are refused */
export function createCursors(masterKey: MasterKey, listing: string): Cursors {
  const use = (caller: string) => `cursor of ${listing}\n${caller}`;
  return {
    of: (caller, place) => Buffer.from(masterKey.seal(Buffer.from(place), use(caller))).toString('base64url'),
    placeOf(caller, cursor) {
      try {
        return Buffer.from(masterKey.open(Buffer.from(cursor, 'base64url'), use(caller))).toString();
      } catch (error) {
        if (!(error instanceof SealError)) throw error;
        throw invalidRequest([{ pointer: 'cursor', detail: 'is the next of no page of yours' }]);
      }
    },
  };
}
