import { devIds } from './credentials.ts';
import type { DevFile } from './dev-file.ts';
import { callGlo, deployGlo, sendBody, transferGlo } from './samples.ts';

/** Command that starts the command line, and the path of dev.json. */
interface Place {
  readonly cli: string;
  readonly path: string;
}

/** Instructions that are printed when everything is ready. */
export function openingLines(
  { baseUrl, person }: DevFile,
  { cli, path, commands }: Place & { readonly commands: string },
): string {
  if (person === undefined) throw new TypeError('A development record is missing.');
  return `
${consoleLines(baseUrl, person)}
Next      ${cli} login --file ${path} && ${cli} action list

Commands to paste are in ${commands}; all credentials are in ${path}. Ctrl-C stops the server.`;
}

/** Commands for a POSIX shell: the command line, then plain HTTP. */
export function commandsToPaste(
  file: DevFile,
  { unserved, cli, path }: Place & { readonly unserved: readonly string[] },
): string {
  const { baseUrl, applicationToken, clientId, serviceAccount, clientSecret, person, templates } = file;
  // Excludes ledgers of earlier starts with --plugin, because their plugins are not loaded now.
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
    throw new TypeError('A development record is missing.');
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
  // `printf` is a shell builtin, so no password is an argument of a process, which other users of the machine can see.
  const post = (operation: string, body: string) => `printf %s ${body} | api $BASE${operation} -d @-`;
  const get = (operation: string) => `api "$BASE${operation}"`;
  const onSolana =
    erin && frank
      ? `# Transfer on Solana, in lamports\n${post('/v1/ledger-ops/send', quote(sendBody(erin, transferGlo(frank, '10000000'))))}\n\n`
      : '';
  return `# Commands to paste into a shell. This file contains credentials; the next start overwrites it.
# Reference: ${baseUrl}/docs
${ledgers.map(place).join('\n')}

# The command line: sign in, send, and list the actions
${cli} login --file ${path}
LEDGER_OPS_WALLET_PASSWORD=${from.walletPassword} ${cli} send ${to.walletId} 0.01 --from ${from.walletId}
${cli} action list

# Plain HTTP. Paste this first: an access token, valid for an hour
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

# Deploy; the action shows contractAddress once it has SUCCEEDED
${post('/v1/ledger-ops/send', quote(deploy))}

# Call the deployed contract: put its address here
CONTRACT=0x…
${post('/v1/ledger-ops/contract/call', quote(call).replace('CONTRACT', `'"$CONTRACT"'`))}

# Call a chaincode on Fabric
ASSET=asset-$(date +%s)
${post('/v1/ledger-ops/contract/call', quote(create).replace('ASSET', `'"$ASSET"'`))}

# Read it, without a transaction
${post('/v1/ledger-ops/emulate', quote(read))}

# Transfer on Fabric: sends tokens of the chaincode that is configured for the ledger
${post('/v1/ledger-ops/send', quote(tokens))}

${onSolana}# Search
${get(`/v1/ledger-ops/search/wallets/${from.walletId}/actions?size=5`)}
`;
}

/** URL of the console, and its user. */
export function consoleLines(baseUrl: string, { email, password }: NonNullable<DevFile['person']>): string {
  return `Console   ${baseUrl}/console/\nSign in   ${email}, password ${password}`;
}

function place({ ledgerId, rpcUrl, channel, chaincodes = [] }: DevFile['ledgers'][number]): string {
  return rpcUrl === undefined
    ? `# Ledger ${ledgerId}: a Fabric network with the channel ${channel} and the chaincodes ${chaincodes.join(', ')}`
    : `# Ledger ${ledgerId}: a chain at ${rpcUrl}`;
}

function quote(body: unknown): string {
  return `'${JSON.stringify(body).replaceAll("'", `'\\''`)}'`;
}
