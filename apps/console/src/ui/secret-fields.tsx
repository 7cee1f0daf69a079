import { Eye, EyeOff } from 'lucide-react';
import { type ComponentProps, useState } from 'react';
import { Button } from './button.tsx';
import { TextArea } from './field.tsx';

/** A secret of several lines, such as a PEM key. Hidden until the user reveals it. */
export function SecretArea({ label, ...rest }: ComponentProps<typeof TextArea>) {
  const [isShown, setShown] = useState(false);
  const Icon = isShown ? EyeOff : Eye;
  return (
    <div>
      <TextArea
        {...rest}
        label={label}
        className={isShown ? 'break-all' : 'break-all [-webkit-text-security:disc]'}
      />
      <Button
        look="quiet"
        className="-ml-3.5"
        aria-label={`${isShown ? 'Hide' : 'Show'}: ${label}`}
        onClick={() => setShown(!isShown)}
      >
        <Icon aria-hidden="true" className="size-4" /> {isShown ? 'Hide' : 'Show'}
      </Button>
    </div>
  );
}
