import { call, path } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Permitted } from '../../ui/permitted.tsx';

/** Sets whether only this service signs with the wallet's key. */
export function ExclusiveButton({ walletId, exclusive }: { walletId: string; exclusive: boolean }) {
  return (
    <Permitted permission="wallet:update">
      <ConfirmButton
        label={exclusive ? 'Allow other signers' : 'Make exclusive'}
        title={exclusive ? `Allow other signers of ${walletId}?` : `Make ${walletId} exclusive?`}
        about={
          exclusive
            ? 'Other programs may then sign with this key. The service no longer detects a restored database or a stolen key for this wallet.'
            : 'From now on, the service suspends this wallet if the ledger contains a transaction from it that is not in the service’s database. Do not let another program use the key.'
        }
        confirm={exclusive ? 'Allow' : 'Make exclusive'}
        send={() =>
          call('PUT', path`/v1/cloud-wallet/wallets/${walletId}/exclusive`, {
            body: { exclusive: !exclusive },
          })
        }
        done={() => queries.invalidateQueries({ queryKey: ['wallets'] })}
      />
    </Permitted>
  );
}
