import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call, path } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { NewPassword } from './new-password.tsx';

export function PasswordButton({ walletId }: { walletId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Change the password</Button>
      {isOpen ? <PasswordDialog walletId={walletId} close={() => setOpen(false)} /> : null}
    </>
  );
}

function PasswordDialog({ walletId, close }: { walletId: string; close: () => void }) {
  const [walletPassword, setWalletPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const change = useMutation({
    mutationFn: () =>
      call('PUT', path`/v1/cloud-wallet/wallets/${walletId}/password`, {
        body: { walletPassword, newPassword },
      }),
    onSuccess: close,
  });
  return (
    <FormDialog
      title={`Change the password of ${walletId}`}
      about="Accepted operations continue. Sending from the wallet requires the new password from now on."
      confirm="Change the password"
      request={change}
      submit={() => change.mutate()}
      close={close}
    >
      <Input
        label="Current password"
        at="/walletPassword"
        type="password"
        autoComplete="off"
        required
        value={walletPassword}
        set={setWalletPassword}
      />
      <NewPassword label="New password" at="/newPassword" password={newPassword} change={setNewPassword} />
    </FormDialog>
  );
}
