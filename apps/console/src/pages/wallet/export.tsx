import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call, path } from '../../api/client.ts';
import type { Schemas } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { SecretDialog } from '../../ui/secret.tsx';

const forms = {
  'keystore-v3': ['Keystore', 'json', 'The key is encrypted with the wallet’s password.'],
  pem: ['Private key', 'pem', 'The key is encrypted with the wallet’s password.'],
  'ed25519-pair': [
    'Private and public key',
    'json',
    'The key is not encrypted: anyone who has it controls the wallet.',
  ],
} as const;

/** Exports the key of a wallet. The user needs its password. */
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
          about="Anyone who has the key can spend everything in the wallet without this service. The export is recorded in the timeline."
          confirm="Export"
          look="danger"
          request={exported}
          submit={() => exported.mutate()}
          close={close}
        >
          <Input
            label="Password of the wallet"
            at="/walletPassword"
            type="password"
            autoComplete="off"
            required
            value={walletPassword}
            set={setWalletPassword}
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
