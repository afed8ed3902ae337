"""Bumble's controller and link, with what BlueZ trips over put right. No radio exists: both controllers are here."""

import asyncio
import logging

from bumble import core, hci, ll
from bumble.controller import Controller
from bumble.link import LocalLink

log = logging.getLogger("controller")


class Link(LocalLink):
    """`LocalLink` names a sender by its random address whatever address the link uses; BlueZ links from its public one."""

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        connection = sender_controller.le_connections.get(destination_address)
        destination = self.find_le_controller(destination_address)
        if connection is not None and destination is not None:
            asyncio.get_running_loop().call_soon(
                destination.on_link_acl_data, connection.self_address, transport, data
            )

    def send_ll_control_pdu(self, sender_address, receiver_address, packet):
        try:
            super().send_ll_control_pdu(sender_address, receiver_address, packet)
        except core.InvalidArgumentError as error:
            log.info("a control packet to nobody: %s", error)


class VirtualController(Controller):
    """Legacy advertising and no privacy, with data packets as long as an ESP32 has them."""

    le_acl_data_packet_length = 251
    acl_data_packet_length = 251
    supported_max_tx_octets = supported_max_rx_octets = suggested_max_tx_octets = 251
    total_num_le_acl_data_packets = 16
    le_features = Controller.le_features & ~(
        hci.LeFeatureMask.LE_EXTENDED_ADVERTISING
        | hci.LeFeatureMask.LE_PERIODIC_ADVERTISING
        | hci.LeFeatureMask.LL_PRIVACY
        | hci.LeFeatureMask.LE_CODED_PHY
    )
    scan_response = b""

    def __init__(self, *arguments, **members):
        super().__init__(*arguments, **members)
        # Of each advertiser that has one of its own.
        self.scan_responses = {}

    def on_hci_le_create_connection_cancel_command(self, command):
        # Bumble answers SUCCESS, keeps the pending connection and never says that it ended.
        pending, self.pending_le_connection = self.pending_le_connection, None
        if pending is None:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        completion = hci.HCI_LE_Connection_Complete_Event(
            status=hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR,
            connection_handle=0,
            role=0,
            peer_address_type=0,
            peer_address=hci.Address.ANY,
            connection_interval=0,
            peripheral_latency=0,
            supervision_timeout=0,
            central_clock_accuracy=0,
        )
        asyncio.get_running_loop().call_soon(self.send_hci_packet, completion)
        return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.SUCCESS)

    def on_advertising_pdu(self, pdu):
        # Bumble reports the advertisement's data as the scan response's too.
        if self.le_scan_enable and isinstance(pdu, ll.AdvInd):
            kinds = hci.HCI_LE_Advertising_Report_Event.EventType
            self._report(pdu, kinds.ADV_IND, pdu.data)
            response = self.scan_responses.get(pdu.advertiser_address, self.scan_response)
            if self.le_scan_type and response:
                self._report(pdu, kinds.SCAN_RSP, response)
        pending = self.pending_le_connection
        if pending and pending.peer_address == pdu.advertiser_address:
            self.create_le_connection(pdu.advertiser_address)

    def _report(self, pdu, kind, data):
        event = hci.HCI_LE_Advertising_Report_Event
        report = event.Report(
            event_type=kind,
            address_type=pdu.advertiser_address.address_type,
            address=pdu.advertiser_address,
            data=data,
            rssi=-50,
        )
        self.send_hci_packet(event([report]))

    def lose_links(self):
        """As a supervision timeout (0x08) ends them; the other side has to be told in the same way."""
        for connection in list(self.le_connections.values()):
            self.on_le_disconnected(connection, hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)


class HostPipe:
    """Joins a host to a controller of the same process, in place of the one before."""

    def __init__(self, controller, host):
        self.controller, self.host = controller, host
        controller.host = host
        host.set_packet_sink(self)

    def on_packet(self, packet):
        asyncio.get_running_loop().call_soon(self._deliver, packet)

    def _deliver(self, packet):
        # What a host says after another one has taken its place would be answered to that one, which takes the first
        # answer for that to its own command.
        if self.controller.host is self.host:
            self.controller.on_packet(packet)
