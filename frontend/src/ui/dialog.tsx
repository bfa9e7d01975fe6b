/** Windows over the page: one to work in, and a question before what cannot be undone by itself. */

import { createContext, type ReactNode, useContext, useState } from "react";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { createPortal } from "react-dom";
import { Button } from "./button";

/** Only here a destructive button is primary. */
export function Confirm(props: {
  open: boolean;
  title: string;
  children: ReactNode;
  action: string;
  busy?: boolean;
  /** Why it cannot be confirmed yet. */
  reason?: string | null;
  onConfirm: () => void;
  onClose: () => void;
}): ReactNode {
  return (
    <ModalOverlay
      className="modal-ground"
      isOpen={props.open}
      isDismissable
      onOpenChange={(open) => {
        if (!open) props.onClose();
      }}
    >
      <Modal className="modal">
        <Dialog role="alertdialog">
          <div className="modal-body">
            <Heading slot="title" level={2}>
              {props.title}
            </Heading>
            <div className="t2">{props.children}</div>
          </div>
          <div className="modal-actions">
            <Button onClick={props.onClose}>Keep</Button>
            <Button
              look="primary"
              onClick={props.onConfirm}
              reason={props.reason ?? (props.busy ? "The order is being sent." : null)}
            >
              {props.action}
            </Button>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** Where a window's content puts its buttons; null outside of a window. */
const Foot = createContext<HTMLElement | null>(null);

/** Stays until it is closed: a press beside it would lose what is shown only once. */
export function Window(props: { open: boolean; title: string; children: ReactNode; onClose: () => void }): ReactNode {
  const [foot, setFoot] = useState<HTMLElement | null>(null);
  return (
    <ModalOverlay
      className="modal-ground"
      isOpen={props.open}
      onOpenChange={(open) => {
        if (!open) props.onClose();
      }}
    >
      <Modal className="modal wide">
        <Dialog>
          <div className="modal-body">
            <Heading slot="title" level={2}>
              {props.title}
            </Heading>
            <Foot value={foot}>{props.children}</Foot>
          </div>
          <div className="modal-actions">
            <Button onClick={props.onClose}>Close</Button>
            <span className="modal-own" ref={setFoot} />
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** The buttons of what is shown, the primary one last: at the window's foot, behind Close, or in place outside of a window.
 * A button that submits names its form there: `form={id}`. */
export function WindowActions({ children }: { children: ReactNode }): ReactNode {
  const foot = useContext(Foot);
  return foot ? createPortal(children, foot) : <div className="row-actions">{children}</div>;
}
