/** A question before something that cannot be undone by itself. Only here a destructive button is primary. */

import type { ReactNode } from "react";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { Button } from "./button";

export function Confirm(props: {
  open: boolean;
  title: string;
  children: ReactNode;
  action: string;
  busy?: boolean;
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
            <Button look="primary" onClick={props.onConfirm} reason={props.busy ? "The order is on its way." : null}>
              {props.action}
            </Button>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
