import type { DevFile } from './dev-file.ts';
import { transferGlo } from './first-transfer.ts';

/** What stands on the screen when the server is up: credentials, and lines to paste into a shell. */
export function instructions(file: DevFile, path: string): string {
  const { baseUrl, applicationToken, clientId, serviceAccount, clientSecret, wallets, ledgers, templates } =
    file;
  const [from, to] = wallets;
  const [template] = templates;
  const service = { type: 'service', value: 'service' };
  const sender = { walletId: from?.walletId, walletPassword: from?.walletPassword };
  const transfer = { ...sender, glo: transferGlo(to?.walletId ?? '') };
  const deploy = {
    ...sender,
    glo: {
      version: '0.1.0',
      type: 'contract_deploy',
      options: {
        contract_source: {
          lookup_service: service,
          resource: `${template?.templateId}:${template?.version}`,
        },
        args: ['Token', 'TOK', '1000000'],
      },
    },
  };
  const call = {
    ...sender,
    glo: {
      version: '0.1.0',
      type: 'contract_call',
      options: {
        contract_instance: { lookup_service: { type: 'ledger', value: 'ethereum' }, resource: 'CONTRACT' },
        method_name: 'transfer(address,uint256)',
        args: [to?.walletAddress, '25'],
      },
    },
  };
  const post = (operation: string, body: string) =>
    `curl -s $BASE${operation} -H "ApplicationToken: $APP" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d ${body}`;
  const get = (operation: string) =>
    `curl -s "$BASE${operation}" -H "ApplicationToken: $APP" -H "Authorization: Bearer $TOKEN"`;
  return `
Ledger Operations is at ${baseUrl} (reference: ${baseUrl}/docs)
${ledgers.map(({ ledgerId, rpcUrl }) => `Ledger ${ledgerId} is a chain of your own at ${rpcUrl}`).join('\n')}

Application token  ${applicationToken}
Application id     ${clientId}
Service account    ${serviceAccount}
API token          ${clientSecret}
${wallets.map(({ walletId, walletPassword, walletAddress }) => `Wallet             ${walletId}  password ${walletPassword}  address ${walletAddress}`).join('\n')}
The same stands in ${path}.

# Paste this first: an access token, valid for an hour
BASE=${baseUrl} APP=${applicationToken}
TOKEN=$(curl -s $BASE/v1/auth/token -d grant_type=client_credentials -d client_id=${clientId} -d service_account=${serviceAccount} -d client_secret=${clientSecret} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')

# Transfer
${post('/v1/ledger-ops/send', quote(transfer))}

# Deploy; the answer's action shows contractAddress once it SUCCEEDED
${post('/v1/ledger-ops/send', quote(deploy))}

# Call the deployed contract: put its address here
CONTRACT=0x…
${post('/v1/ledger-ops/contract/call', quote(call).replace('CONTRACT', `'"$CONTRACT"'`))}

# Search
${get(`/v1/ledger-ops/search/wallets/${from?.walletId}/actions?size=5`)}

Ctrl-C ends it; the next start finds everything again.
`;
}

function quote(body: unknown): string {
  return `'${JSON.stringify(body).replaceAll("'", `'\\''`)}'`;
}
