"""Bumble's attribute server, with what BlueZ trips over put right."""

from bumble import att
from bumble.utils import AsyncRunner


def end_long_reads(server):
    """With an empty part where a value fills its packets exactly (Core specification, Vol 3 Part F 3.4.4.5). Bumble
    answers with ATT 0x0B there, which BlueZ takes for the failure of the whole read: at an MTU of 23 every value of 22
    bytes."""

    @AsyncRunner.run_in_task()
    async def on_att_read_blob_request(bearer, request):
        server.send_response(bearer, await _part(server, bearer, request))

    server.on_att_read_blob_request = on_att_read_blob_request


async def _part(server, bearer, request):
    attribute = server.get_attribute(request.attribute_handle)
    if attribute is None:
        return _error(request, att.ATT_INVALID_HANDLE_ERROR)
    try:
        value = await attribute.read_value(bearer)
    except att.ATT_Error as error:
        return _error(request, error.error_code)
    if request.value_offset > len(value):
        return _error(request, att.ATT_INVALID_OFFSET_ERROR)
    return att.ATT_Read_Blob_Response(part_attribute_value=value[request.value_offset :][: bearer.att_mtu - 1])


def _error(request, code):
    return att.ATT_Error_Response(
        request_opcode_in_error=request.op_code,
        attribute_handle_in_error=request.attribute_handle,
        error_code=code,
    )
