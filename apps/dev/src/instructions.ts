import type { DevFile } from './dev-file.ts';
import { devIds } from './ground.ts';
import { callGlo, deployGlo, sendBody, transferGlo } from './samples.ts';

/** Text for the screen when the server is up: credentials, and lines to paste into a shell. */
export function instructions(file: DevFile, path: string, unserved: readonly string[]): string {
  const { baseUrl, applicationToken, clientId, serviceAccount, clientSecret, person, templates } = file;
  // Ledgers of plugins are served by starts with those plugins.
  const all: readonly string[] = [devIds.ledger, devIds.fabricLedger, devIds.solanaLedger];
  const served = all.filter((ledger) => !unserved.includes(ledger));
  const [ledgers, wallets] = [file.ledgers.filter(isServed), file.wallets.filter(isServed)];
  function isServed({ ledgerId }: { ledgerId: string }) {
    return served.includes(ledgerId);
  }
  const on = (ledger: string) => wallets.filter(({ ledgerId }) => ledgerId === ledger);
  const [from, to] = on(devIds.ledger);
  const [carol, dave] = on(devIds.fabricLedger);
  const [erin, frank] = on(devIds.solanaLedger);
  const fabric = ledgers.find(({ ledgerId }) => ledgerId === devIds.fabricLedger);
  const [template] = templates;
  if (!(from && to && carol && dave && fabric && template && person))
    throw new TypeError('Something was not made.');
  const [assets = ''] = fabric.chaincodes ?? [];
  const chaincode = (method: string, ...args: string[]) =>
    callGlo('hyperledger-fabric', `${fabric.channel}/${assets}`, method, args);
  const transfer = sendBody(from, transferGlo(to, '10000000000000000'));
  const deploy = sendBody(from, deployGlo(template));
  const call = sendBody(
    from,
    callGlo('ethereum', 'CONTRACT', 'transfer(address,uint256)', [to.walletAddress, '25']),
  );
  const create = sendBody(carol, chaincode('CreateAsset', 'ASSET', 'blue', '5', carol.walletId, '300'));
  const read = { ledgerId: fabric.ledgerId, glo: chaincode('GetAllAssets') };
  const tokens = sendBody(carol, transferGlo(dave, '25'));
  // A shell writes these itself: no password is the argument of a program, which others on the machine see.
  const post = (operation: string, body: string) => `printf %s ${body} | api $BASE${operation} -d @-`;
  const get = (operation: string) => `api "$BASE${operation}"`;
  const onSolana =
    erin && frank
      ? `# Transfer on Solana, in lamports\n${post('/v1/ledger-ops/send', quote(sendBody(erin, transferGlo(frank, '10000000'))))}\n\n`
      : '';
  return `
Ledger Operations is at ${baseUrl} (reference: ${baseUrl}/docs)
${ledgers.map(place).join('\n')}

${consoleLine(baseUrl, person)}
Application token  ${applicationToken}
Application id     ${clientId}
Service account    ${serviceAccount}
API token          ${clientSecret}
${wallets.map(({ walletId, walletPassword, walletAddress }) => `Wallet             ${walletId}  password ${walletPassword}  address ${walletAddress}`).join('\n')}
The same stands in ${path}.

# Paste this first: an access token, valid for an hour
BASE=${baseUrl} APP=${applicationToken}
TOKEN=$(printf %s 'grant_type=client_credentials&client_id=${clientId}&service_account=${serviceAccount}&client_secret=${clientSecret}' | curl -s $BASE/v1/auth/token -d @- | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
api() { curl -s -w '\\n' -H @/dev/fd/3 "$@" 3<<EOF
ApplicationToken: $APP
Authorization: Bearer $TOKEN
Content-Type: application/json
EOF
}

# Transfer
${post('/v1/ledger-ops/send', quote(transfer))}

# Deploy; the answer's action shows contractAddress once it SUCCEEDED
${post('/v1/ledger-ops/send', quote(deploy))}

# Call the deployed contract: put its address here
CONTRACT=0x…
${post('/v1/ledger-ops/contract/call', quote(call).replace('CONTRACT', `'"$CONTRACT"'`))}

# Call a chaincode on Fabric
ASSET=asset-$(date +%s)
${post('/v1/ledger-ops/contract/call', quote(create).replace('ASSET', `'"$ASSET"'`))}

# Read it, without a transaction
${post('/v1/ledger-ops/emulate', quote(read))}

# Transfer on Fabric: tokens of the chaincode that the ledger names
${post('/v1/ledger-ops/send', quote(tokens))}

${onSolana}# Search
${get(`/v1/ledger-ops/search/wallets/${from.walletId}/actions?size=5`)}

Ctrl-C ends it; the next start finds everything again.
`;
}

/** Who signs in to the console, and where. */
export function consoleLine(baseUrl: string, { email, password }: NonNullable<DevFile['person']>): string {
  return `Console            ${baseUrl}/console/  as ${email}  password ${password}`;
}

function place({ ledgerId, rpcUrl, channel, chaincodes = [] }: DevFile['ledgers'][number]): string {
  return rpcUrl === undefined
    ? `Ledger ${ledgerId} is a Fabric network of your own: channel ${channel}, chaincodes ${chaincodes.join(', ')}`
    : `Ledger ${ledgerId} is a chain of your own at ${rpcUrl}`;
}

function quote(body: unknown): string {
  return `'${JSON.stringify(body).replaceAll("'", `'\\''`)}'`;
}
