import { Secret } from '@ledger-ops/base';
import type { Queries } from '@ledger-ops/store';
import { credential, tokenHash } from '../credentials.ts';
import { usableIdentity } from '../login/identity-lock.ts';
import { OAuthError } from '../tokens/oauth-error.ts';
import { field, type Grant } from './grant.ts';

/**
 * `client_credentials` with an assertion if there is one, otherwise with an API token. Both together are
 * refused (RFC 6749 §2.3).
 */
export function clientCredentials(withApiToken: Grant, withAssertion: Grant): Grant {
  return {
    secretOf: 'account',
    async prove(form, clients, request) {
      if (!form.has('client_assertion') && !form.has('client_assertion_type')) {
        return await withApiToken.prove(form, clients, request);
      }
      if (form.has('client_secret')) {
        throw new OAuthError('invalid_request', 'Use either client_secret or client_assertion.');
      }
      return await withAssertion.prove(form, clients, request);
    },
  };
}

/**
 * `service_account` (its id) and `client_secret` (one of its API tokens). The token is looked up by its hash
 * and then compared with the account, so that an unknown account takes the same time as a wrong secret. HTTP
 * Basic clients send only an id and a secret; the secret identifies the account.
 */
export function apiTokenGrant(queries: Queries): Grant {
  return {
    secretOf: 'account',
    async prove(form, _clients, { basic }) {
      const accountId = basic ? form.get('service_account') : field(form, 'service_account');
      const secret = new Secret(field(form, 'client_secret'));
      const [row] = await queries.all<{
        handle: string;
        account_id: string;
        service_id: string;
        project_uid: string;
      }>(
        `select t.handle, a.account_id, a.service_id, a.project_uid
           from api_token t
           join service_account a on a.service_id = t.service_id
           join identity i on i.service_id = a.service_id
          where t.hash = $1 and t.status = 'ENABLED' and ${usableIdentity('i')}`,
        [tokenHash(secret)],
      );
      if (row === undefined || row.account_id !== (accountId ?? row.account_id)) return null;
      return {
        serviceId: row.service_id,
        projectUid: row.project_uid,
        cred: credential.of('api-token', row.handle),
      };
    },
  };
}
