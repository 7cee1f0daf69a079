import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call, path } from '../../api/client.ts';
import type { Schemas } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { SecretDialog } from '../../ui/secret.tsx';

const forms = {
  'keystore-v3': ['Keystore', 'json', 'The password of the wallet opens it.'],
  pem: ['Private key', 'pem', 'It is encrypted: the password of the wallet opens it.'],
  'ed25519-pair': ['Private and public key', 'json', 'It is not encrypted: whoever has it has the wallet.'],
} as const;

/** Writes the key of a wallet for somebody who has its password. */
export function ExportButton({ walletId }: { walletId: string }) {
  const [isOpen, setOpen] = useState(false);
  const [walletPassword, setWalletPassword] = useState('');
  const exported = useMutation({
    mutationFn: () =>
      call<Schemas['WalletExport']>('POST', path`/v1/cloud-wallet/wallets/${walletId}/export`, {
        body: { walletPassword },
      }),
  });
  const close = () => {
    setOpen(false);
    setWalletPassword('');
    exported.reset();
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>Export the key</Button>
      {isOpen && exported.data === undefined ? (
        <FormDialog
          title="Export the key of this wallet?"
          about="Whoever has the key can spend all that the wallet has, past this service. That it was exported is in the timeline."
          confirm="Export"
          look="danger"
          request={exported}
          submit={() => exported.mutate()}
          close={close}
        >
          <Input
            label="Password of the wallet"
            type="password"
            autoComplete="off"
            required
            value={walletPassword}
            onChange={({ target }) => setWalletPassword(target.value)}
          />
        </FormDialog>
      ) : null}
      {exported.data === undefined ? null : (
        <Exported walletId={walletId} exported={exported.data} close={close} />
      )}
    </>
  );
}

function Exported({
  walletId,
  exported: { format, document, base58, certificate },
  close,
}: {
  walletId: string;
  exported: Schemas['WalletExport'];
  close: () => void;
}) {
  const [name, ending, about] = forms[format];
  return (
    <SecretDialog
      title={`The key of ${walletId}`}
      about={about}
      secrets={[
        [name, document],
        ...(base58 === undefined ? [] : [['In base58', base58] as const]),
        ...(certificate === undefined ? [] : [['Certificate', certificate] as const]),
      ]}
      file={{ name: `${walletId}.${ending}`, text: document }}
      close={close}
    />
  );
}
