import { Problem, type Secret } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import { consoleAppUid, consoleCallback } from '../console.ts';
import type { Csrf } from '../sessions/csrf.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { recordChange } from '../timeline/record-change.ts';
import type { AuthorizationCodes } from './codes.ts';
import { isLoopback } from './loopback.ts';
import { createRequestReader } from './read-request.ts';
import { withParameters } from './redirect-uri.ts';
import type { AuthorizationEndpoint, AuthorizationRequest } from './types.ts';

export interface AuthorizationOptions {
  readonly store: Store;
  readonly issuer: string;
  readonly sessions: Sessions;
  readonly codes: AuthorizationCodes;
  readonly csrf: Csrf;
  readonly now: () => number;
}

/** Creates the authorization endpoint (RFC 6749 §3.1), without its pages. */
export function createAuthorization(options: AuthorizationOptions): AuthorizationEndpoint {
  const { store, issuer, sessions, codes, csrf, now } = options;

  const liveSession = async (secret: Secret) => {
    const session = await sessions.find(secret);
    if (session === null) throw new Problem('login-failed', 'The session has ended; log in again.');
    return session;
  };
  const demandToken = (request: AuthorizationRequest, session: Secret, token: string | undefined) => {
    if (csrf.check(session, purposeOf(request), token)) return;
    throw new Problem(
      'not-permitted',
      'The form has expired or does not come from this page. Open the page again.',
    );
  };
  const hasConsent = async (request: AuthorizationRequest, serviceId: string) => {
    const rows = await store.read.all('select app_uid from consent where service_id = $1 and app_uid = $2', [
      serviceId,
      request.app.appUid,
    ]);
    return rows.length > 0;
  };
  const answer = async (request: AuthorizationRequest, owner: { serviceId: string; sessionId: string }) => {
    const code = await store.transaction(async (tx) => {
      const { serviceId } = owner;
      const agreed = await tx.db
        .insert(tx.t.consent)
        .values({ serviceId, appUid: request.app.appUid, createdAt: now() })
        .onConflictDoNothing()
        .returning({ appUid: tx.t.consent.appUid });
      if (agreed.length > 0) {
        const { appId } = request.app;
        const change = { action: 'consent', service: 'access-control', targetObject: appId } as const;
        await recordChange(tx, { serviceId, appId: '' }, serviceId, change, now());
      }
      return await codes.issue(tx, request, owner);
    });
    return withParameters(request.redirectUri, {
      code: code.reveal(),
      state: request.state,
      iss: issuer,
    });
  };

  return {
    read: createRequestReader(store.read, issuer),
    hasConsent,
    csrfToken: (request, session) => csrf.issue(session, purposeOf(request)),

    async approve(request, session, token) {
      demandToken(request, session, token);
      return await answer(request, await liveSession(session));
    },

    async resume(request, session) {
      const owner = await liveSession(session);
      // The console needs no consent, because the user logged in here. This applies only to its own redirect URI.
      if (request.app.appUid === consoleAppUid) {
        return request.redirectUri === consoleCallback(issuer) ? await answer(request, owner) : null;
      }
      // Any program on the user's machine can listen on loopback and impersonate this app (RFC 8252
      // §8.6).
      if (isLoopback(new URL(request.redirectUri).hostname)) return null;
      return (await hasConsent(request, owner.serviceId)) ? await answer(request, owner) : null;
    },

    deny(request, session, token) {
      demandToken(request, session, token);
      return withParameters(request.redirectUri, {
        error: 'access_denied',
        error_description: 'The user declined.',
        state: request.state,
        iss: issuer,
      });
    },
  };
}

/** Binds a form's token to this request. */
function purposeOf({ app, redirectUri, state, challenge }: AuthorizationRequest): string {
  return JSON.stringify(['consent', app.appUid, redirectUri, state ?? null, challenge]);
}
