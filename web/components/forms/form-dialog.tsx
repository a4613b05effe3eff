import { Dialog } from "../dialog.tsx";
import { say } from "../toast.tsx";
import { Form, type FormProps } from "./form.tsx";

interface FormDialogProps extends Omit<FormProps, "onCancel"> {
  readonly title: string;
  readonly onClose: () => void;
}

/** A dialog that is a form, which Cancel closes. */
export function FormDialog({ title, onClose, ...form }: FormDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Form {...form} onCancel={onClose} />
    </Dialog>
  );
}

interface ConfirmDialogProps extends Omit<FormDialogProps, "danger" | "onSubmit"> {
  /** Does it; the headers in `once` are those of `Form`. A failure is shown in the dialog, which stays. */
  readonly onConfirm: (once: Readonly<Record<string, string>>) => Promise<unknown>;
  /** Said in a toast once it is done. */
  readonly said?: string;
  /** Called once it is done. */
  readonly onDone: () => void;
}

/** Asks before something is done that cannot be taken back, or that others notice. Its children say what it leaves. */
export function ConfirmDialog({ onConfirm, said, onDone, ...dialog }: ConfirmDialogProps) {
  return (
    <FormDialog
      {...dialog}
      danger
      onSubmit={async (_, once) => {
        await onConfirm(once);
        if (said !== undefined) say(said);
        onDone();
      }}
    />
  );
}
