import { useMutation } from '@tanstack/react-query';
import { type ComponentProps, useState } from 'react';
import { Button } from './button.tsx';
import { FormDialog } from './form-dialog.tsx';

/** A button that sends a request after the user confirms it in a dialog. */
export function ConfirmButton({
  label,
  name = label,
  look,
  confirmLook = 'primary',
  send,
  done,
  ...dialog
}: {
  label: string;
  /** Accessible name of the button, if the label does not identify the record. */
  name?: string;
  look?: ComponentProps<typeof Button>['look'];
  confirmLook?: 'primary' | 'danger';
  send: () => Promise<unknown>;
  /** Called after the request succeeded. */
  done: () => unknown;
} & Pick<ComponentProps<typeof FormDialog>, 'title' | 'about' | 'confirm' | 'dismiss'>) {
  const [isOpen, setOpen] = useState(false);
  const request = useMutation({
    mutationFn: send,
    async onSuccess() {
      setOpen(false);
      await done();
    },
  });
  return (
    <>
      <Button {...(look && { look })} aria-label={name} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen ? (
        <FormDialog
          {...dialog}
          look={confirmLook}
          request={request}
          submit={() => request.mutate()}
          close={() => setOpen(false)}
        />
      ) : null}
    </>
  );
}
