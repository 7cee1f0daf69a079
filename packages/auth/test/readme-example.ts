import { bootstrap, createAuth } from '@ledger-ops/auth';
import { type MasterKey, Secret } from '@ledger-ops/base';
import { type Store, uuidv7 } from '@ledger-ops/store';

export async function firstSteps(store: Store, masterKey: MasterKey) {
  const config = { baseUrl: 'https://ledger.example' };
  const auth = await createAuth({ store, masterKey, config });
  const { administrator } = await bootstrap({ store, config });
  if (administrator === null) return 'not the first start';

  const { accountId, appId, applicationToken, apiToken } = administrator;
  const form = new Map([
    ['grant_type', 'client_credentials'],
    ['client_id', appId],
    ['service_account', accountId],
    ['client_secret', apiToken.reveal()],
  ]);
  const { access_token } = await auth.issueToken(form, applicationToken);

  const principal = await auth.authenticate(applicationToken, new Secret(access_token));
  await auth.demand(principal, 'wallet:create', principal.projectUid);
  const uid = uuidv7();
  await store.transaction((tx) =>
    auth.registerResource(tx, {
      uid,
      resourceId: 'treasury',
      type: 'cloud-wallet',
      parentUid: principal.projectUid,
      owner: principal.serviceId,
    }),
  );
  return (await auth.decide(principal, ['wallet:transact'], uid)).result;
}
