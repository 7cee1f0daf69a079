import type { OutboundPolicy } from '@ledger-ops/adapter';
import { invalidRequest, Problem } from '@ledger-ops/base';
import { createAddressCheck, createGuardedFetch, isNotOpened, withoutBrackets } from '@ledger-ops/outbound';
import type { Posted } from './types.ts';

/** Sends bodies to receivers, behind the guard of outgoing connections. Follows no redirect, and reads no answer. */
export interface Poster {
  /** @throws Problem `invalid-request`, `address-not-opened`. Names are looked up when something is sent. */
  checkUrl(url: string, pointer: string): string;
  post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<Posted>;
  close(): Promise<void>;
}

const maxUrl = 2_048;

/** @param patience milliseconds for a receiver to answer */
export function createPoster(policy: OutboundPolicy, patience: number): Poster {
  const guarded = createGuardedFetch(policy, { timeout: patience });
  const allows = createAddressCheck(policy);
  const isPublic = createAddressCheck({ open: [] });

  /** Plain HTTP goes only to what the deployer opened: on the way to a public address everybody could read it. */
  function mayBePlain(host: string): boolean {
    const literal = host === 'localhost' ? '127.0.0.1' : withoutBrackets(host);
    return allows(literal) && !isPublic(literal);
  }

  return {
    checkUrl(text, pointer) {
      const url = text.length <= maxUrl && URL.canParse(text) ? new URL(text) : undefined;
      const refuse = (detail: string) => invalidRequest([{ pointer, detail }]);
      if (url === undefined || !['https:', 'http:'].includes(url.protocol)) {
        throw refuse(`must be an https URL of at most ${maxUrl} characters`);
      }
      if (url.username !== '' || url.password !== '') throw refuse('must have no credentials in it');
      if (url.hash !== '') throw refuse('must have no fragment');
      const host = withoutBrackets(url.hostname);
      if (isLiteral(host) && !allows(host)) {
        const detail = 'is at an address that is not public and that is not opened on this server';
        throw new Problem('address-not-opened', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
      }
      if (url.protocol === 'http:' && !mayBePlain(host)) throw refuse('must be https');
      return url.href;
    },

    async post(url, headers, body) {
      try {
        const { status, body: answer } = await guarded.fetch(url, {
          method: 'POST',
          headers: { ...headers, 'user-agent': 'ledger-operations' },
          body,
          signal: AbortSignal.timeout(patience),
        });
        // Whatever it says is of no interest, however long it is.
        await answer?.cancel();
        const isTaken = status >= 200 && status < 300;
        return { status, error: isTaken ? null : `It answered ${status}.` };
      } catch (error) {
        return { status: null, error: wordsOf(error) };
      }
    },

    close: () => guarded.close(),
  };
}

function isLiteral(host: string): boolean {
  return /^[0-9.]+$/.test(host) || host.includes(':');
}

/** Never the words of the error: they may hold what another side wrote. */
function wordsOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'It did not answer in time.';
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (isNotOpened(cause)) return 'Its address is not public, and is not opened on this server.';
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code)) return `The connection failed (${code}).`;
  return 'The request failed; redirects are not followed.';
}
