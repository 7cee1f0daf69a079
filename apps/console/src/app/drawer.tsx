import { Dialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';

/** The menu on narrow screens. Loaded when it is first opened. */
export default function Drawer({ close, children }: { close: () => void; children: ReactNode }) {
  return (
    <Dialog.Root
      open
      onOpenChange={(open) => {
        if (!open) close();
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/45" />
        <Dialog.Popup className="on-brand fixed inset-y-0 right-0 z-50 flex w-[min(19rem,88vw)] flex-col">
          <div className="flex items-center justify-between px-5 py-3">
            <Dialog.Title className="font-semibold">Menu</Dialog.Title>
            <Dialog.Close
              aria-label="Close"
              className="-mr-2 grid size-10 place-items-center rounded-lg hover:bg-sunken"
            >
              <X aria-hidden="true" className="size-5" />
            </Dialog.Close>
          </div>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
